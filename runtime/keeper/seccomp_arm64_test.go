package keeper_test

const seccomp = 277 // SYS_SECCOMP
