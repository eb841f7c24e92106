//go:build !linux

package statestore

// machineMemory is a guess where the system is not asked.
func machineMemory() int64 { return defaultMemory }
