package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/vstream/vstream/statestore/changelog"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the versions of the program and its formats", Args: cobra.NoArgs,
		Run: func(c *cobra.Command, _ []string) {
			version := "development"
			if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
				version = info.Main.Version
			}
			fmt.Fprintf(c.OutOrStdout(), "vstream %s\ngo %s %s/%s\nstate format %d\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH, changelog.FormatVersion)
		},
	}
}
