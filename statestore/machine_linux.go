package statestore

import (
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// machineMemory is the memory that this process can have: the machine's, or less if a
// control group limits it.
func machineMemory() int64 {
	memory := int64(defaultMemory)
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) == nil {
		memory = int64(min(uint64(info.Totalram)*uint64(info.Unit), math.MaxInt64))
	}
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
			memory = min(memory, n)
		}
	}
	return memory
}
