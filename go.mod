module vcp.core

go 1.26
