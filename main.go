package main

func main() { _ = keyMap() }
