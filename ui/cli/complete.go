package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/safe"
	"example.com/unacked/ui/config"
)

const (
	completeWithin = time.Second // what a shell may wait for the server
	completeMost   = 200         // names offered
	completeGroups = 20          // streams whose groups are looked at where none is named
)

// nothing is what is offered where something went wrong: a shell is no place for errors.
const nothing = cobra.ShellCompDirectiveNoFileComp

// completeServers offers the saved servers, for the argument that is a URL.
func completeServers(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, nothing
	}
	f, err := config.Load(os.Getenv)
	if err != nil {
		return nil, nothing
	}
	var all []string
	for _, name := range f.Names() {
		if !strings.HasPrefix(name, begun) {
			continue
		}
		if t, err := redisq.ParseTarget(f.Servers[name].URL); err == nil {
			name = cobra.CompletionWithDesc(name, safe.Text(t.String()))
		}
		all = append(all, name)
	}
	return all, nothing
}

// completes has the flags of cmd that name streams and groups ask the server for them.
func (c *connection) completes(cmd *cobra.Command) {
	_ = cmd.RegisterFlagCompletionFunc("redis", func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		return completeServers(cmd, nil, begun)
	})
	f := cmd.Flags()
	for _, name := range []string{"stream", "dead-letter"} {
		if f.Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, c.completeStreams)
		}
	}
	if f.Lookup("group") != nil {
		_ = cmd.RegisterFlagCompletionFunc("group", c.completeGroups)
	}
}

func (c *connection) completeStreams(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	var found []string
	c.look(args, func(ctx context.Context, client *redisq.Client) {
		// What was found before the time was over is worth offering.
		d, _ := redisq.Discover(ctx, client, redisq.DiscoverOptions{Match: globOf(begun) + "*", Limit: completeMost})
		found = d.Streams
	})
	return offer(found, begun), nothing
}

func (c *connection) completeGroups(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	var found []string
	c.look(args, func(ctx context.Context, client *redisq.Client) {
		streams := streamsOf(cmd, args)
		if len(streams) == 0 {
			d, _ := redisq.Discover(ctx, client, redisq.DiscoverOptions{Limit: completeGroups})
			streams = d.Streams
		}
		for _, stream := range streams {
			reply, err := client.Do(ctx, "XINFO", "GROUPS", stream)
			if err != nil {
				continue
			}
			found = append(found, groupNames(reply)...)
		}
	})
	return offer(found, begun), nothing
}

// streamsOf are the streams that the command line names so far.
func streamsOf(cmd *cobra.Command, args []string) []string {
	if flag := cmd.Flags().Lookup("stream"); flag != nil && flag.Changed {
		if many, err := cmd.Flags().GetStringArray("stream"); err == nil {
			return many
		}
		return []string{flag.Value.String()}
	}
	if len(args) > 1 {
		return args[1:2]
	}
	return nil
}

// groupNames reads XINFO GROUPS: a list of names and values for each group.
func groupNames(reply any) []string {
	groups, _ := reply.([]any)
	var names []string
	for _, group := range groups {
		fields, _ := group.([]any)
		for i := 0; i+1 < len(fields); i += 2 {
			if fmt.Sprint(fields[i]) == "name" {
				names = append(names, fmt.Sprint(fields[i+1]))
			}
		}
	}
	return names
}

// look asks the server that the command line names so far, read-only and within a second. Nobody is asked for a password.
func (c *connection) look(args []string, ask func(context.Context, *redisq.Client)) {
	quiet := *c
	quiet.ask = false
	raw := quiet.url
	if raw == "" && len(args) > 0 {
		raw = args[0]
	}
	if raw = cmp.Or(raw, os.Getenv("REDIS_URL")); raw == "" {
		return
	}
	target, err := quiet.target(raw)
	if err != nil {
		return
	}
	client, err := redisq.Connect(target, redisq.Options{Name: "completion", ReadOnly: true})
	if err != nil {
		return
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), completeWithin)
	defer cancel()
	ask(ctx, client)
}

// offer keeps the names that begin so and that a command line can hold.
func offer(names []string, begun string) []string {
	var all []string
	seen := map[string]bool{}
	for _, name := range names {
		if strings.HasPrefix(name, begun) && safe.Text(name) == name && !strings.ContainsAny(name, " \t'\"\\$`") && !seen[name] {
			seen[name] = true
			all = append(all, name)
		}
	}
	return all[:min(len(all), completeMost)]
}

// globOf is a pattern that matches begun itself.
func globOf(begun string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`).Replace(begun)
}
