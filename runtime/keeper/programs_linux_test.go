//go:build amd64 || arm64

package keeper

import (
	"path/filepath"
	"slices"
	"testing"
)

// The user's own folder is not read as a whole because there is a folder bin in it, whatever the environment says.
func TestOwnFolder(t *testing.T) {
	own := ownFolder()
	if own == "" || own == "/" {
		t.Skip("this user has no folder")
	}
	for _, home := range []string{"", own, "/elsewhere"} {
		for _, file := range []string{"bin/tool", ".local/bin/tool"} {
			list := programs(filepath.Join(own, file), filepath.Join(own, "bin")+":"+own+":"+filepath.Join(own, "shims")+":/usr/bin", home)
			if slices.Contains(list, own) || slices.Contains(list, filepath.Dir(own)) || !slices.Contains(list, "/usr/bin") {
				t.Errorf("HOME=%s, %s: %q", home, file, list)
			}
		}
	}
}
