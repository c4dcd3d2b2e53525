package keeper_test

const seccomp = 317 // SYS_SECCOMP
