#include "textflag.h"

// func vfork() (pid, errno uintptr)
//
// Parent and child return from here on one stack. The return address stays in a register, so that it does not matter
// what the child writes there.
TEXT ·vfork(SB),NOSPLIT|NOFRAME,$0-16
	MOVD	$0x4111, R0 // CLONE_VM|CLONE_VFORK|SIGCHLD
	MOVD	ZR, R1
	MOVD	ZR, R2
	MOVD	ZR, R3
	MOVD	ZR, R4
	MOVD	$220, R8 // clone
	SVC
	MOVD	ZR, errno+8(FP)
	CMN	$4095, R0
	BCC	ok
	NEG	R0, R0
	MOVD	R0, errno+8(FP)
	MOVD	ZR, R0
ok:
	MOVD	R0, pid+0(FP)
	RET
