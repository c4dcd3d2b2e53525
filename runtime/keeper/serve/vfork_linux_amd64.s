#include "textflag.h"

// func vfork() (pid, errno uintptr)
//
// Parent and child return from here on one stack. The child goes on to call other functions, which write their return
// addresses where ours lies. The parent runs again after that, so it takes its own along in a register.
TEXT ·vfork(SB),NOSPLIT|NOFRAME,$0-16
	MOVQ	$0x4111, DI // CLONE_VM|CLONE_VFORK|SIGCHLD
	XORL	SI, SI
	XORL	DX, DX
	XORL	R10, R10
	XORL	R8, R8
	MOVL	$56, AX // clone
	POPQ	R12
	SYSCALL
	PUSHQ	R12
	MOVQ	$0, errno+8(FP)
	CMPQ	AX, $-4095
	JCS	ok
	NEGQ	AX
	MOVQ	AX, errno+8(FP)
	XORL	AX, AX
ok:
	MOVQ	AX, pid+0(FP)
	RET
