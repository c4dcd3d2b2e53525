// Command hello is the smallest plugin, to be measured.
package main

import (
	"context"

	"vcp.core/contract/call"
	"vcp.core/runtime/sdk"
)

func main() {
	sdk.Main(call.HandlerFunc(func(context.Context, call.Invocation) ([]byte, error) {
		return []byte(`{"status":"success","data":"hello","resources":[],"warnings":[],"extensions":{}}`), nil
	}))
}
