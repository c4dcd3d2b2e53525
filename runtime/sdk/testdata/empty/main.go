// Command empty does nothing, to be measured against.
package main

func main() {}
