module vcp.core/fuzz/peers

go 1.26.0

replace vcp.core => ../..

require (
	github.com/google/jsonschema-go v0.4.3
	github.com/santhosh-tekuri/jsonschema/v5 v5.3.1
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	vcp.core v0.0.0
)

require (
	github.com/dave/jennifer v1.7.1 // indirect
	golang.org/x/text v0.14.0 // indirect
)
