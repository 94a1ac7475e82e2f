package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

func newCompletion() *cobra.Command {
	return &cobra.Command{
		Use:                   "completion bash|zsh|fish|powershell",
		DisableFlagsInUseLine: true,
		Short:                 "Print a script that makes a shell complete command lines",
		Long: `Print a script with which a shell completes the commands, flags and files of
rnnsearch when you press Tab. The program must be in PATH by that name. To have
it in every session:

  bash        put  source <(rnnsearch completion bash)  into ~/.bashrc,
              and install the package bash-completion
  zsh         put  source <(rnnsearch completion zsh)  into ~/.zshrc, after
              autoload -U compinit && compinit
  fish        rnnsearch completion fish > \
              ~/.config/fish/completions/rnnsearch.fish
  powershell  rnnsearch completion powershell >> $PROFILE`,
		Example:   `  go run ./model/cmd/rnnsearch completion bash > /tmp/rnnsearch.bash`,
		ValidArgs: []cobra.Completion{"bash", "zsh", "fish", "powershell"},
		RunE: func(c *cobra.Command, args []string) error {
			return complete(c.Root(), c.OutOrStdout(), args)
		},
	}
}

func complete(root *cobra.Command, w io.Writer, args []string) error {
	const descriptions = true
	const expected = "expected one of bash, zsh, fish, powershell"
	switch len(args) {
	case 0:
		return usageError{"missing shell: " + expected}
	case 1:
	default:
		return usageError{fmt.Sprintf("%d shells: %s", len(args), expected)}
	}
	switch args[0] {
	case "bash":
		return root.GenBashCompletionV2(w, descriptions)
	case "zsh":
		return root.GenZshCompletion(w)
	case "fish":
		return root.GenFishCompletion(w, descriptions)
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(w)
	}
	return usageError{fmt.Sprintf("%q: %s", args[0], expected)}
}
