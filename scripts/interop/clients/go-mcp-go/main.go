// Plays a scenario with the community's Go library.
package main

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"strings"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

type dialog struct{}

func (dialog) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	dialogs.Add(1)
	answer := mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"scope": "once"}}
	return &mcp.ElicitationResult{ElicitationResponse: answer}, nil
}

func play(ctx context.Context, scenario string, line map[string]any) error {
	duet := client.NewClient(
		transport.NewStdio("duet", nil, "serve"),
		client.WithElicitationHandler(dialog{}),
	)
	if err := duet.Start(ctx); err != nil {
		return err
	}
	defer duet.Close()
	duet.OnNotification(func(notification mcp.JSONRPCNotification) {
		if notification.Method == "notifications/progress" {
			progress.Add(1)
		}
	})
	hello := mcp.InitializeRequest{}
	hello.Params.ClientInfo = mcp.Implementation{Name: "my-program", Version: "1.0.0"}
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	if _, err := duet.Initialize(ctx, hello); err != nil {
		return err
	}
	ask := map[string]any{"question": os.Getenv("DUET_QUESTION")}
	switch scenario {
	case "lists":
		listed, err := duet.ListTools(ctx, mcp.ListToolsRequest{})
		if err != nil {
			return err
		}
		names := []string{}
		for _, tool := range listed.Tools {
			names = append(names, tool.Name)
		}
		line["tools"] = names
		if _, err := duet.ListResources(ctx, mcp.ListResourcesRequest{}); err != nil {
			return err
		}
		_, err = duet.ListPrompts(ctx, mcp.ListPromptsRequest{})
		return err
	case "cancel":
		line["error"] = cancelOnceBegun(ctx, func(stoppable context.Context) error {
			_, err := call(stoppable, duet, "agent_ask", ask)
			return err
		})
		return nil
	}
	result, err := call(ctx, duet, "agent_ask", ask)
	for err == nil && scenario != "limit" {
		next := regexp.MustCompile(`(agent_(?:ask|result)) (\{[^{}]*\})`).FindStringSubmatch(readText(result))
		if next == nil {
			break
		}
		var arguments map[string]any
		if err := json.Unmarshal([]byte(next[2]), &arguments); err != nil {
			return err
		}
		result, err = call(ctx, duet, next[1], arguments)
	}
	if err != nil {
		return err
	}
	line["text"] = readText(result)
	line["structured"] = result.StructuredContent
	return nil
}

func call(ctx context.Context, duet *client.Client, name string, arguments any) (*mcp.CallToolResult, error) {
	request := mcp.CallToolRequest{}
	request.Params.Name = name
	request.Params.Arguments = arguments
	request.Params.Meta = &mcp.Meta{ProgressToken: name}
	return duet.CallTool(ctx, request)
}

func readText(result *mcp.CallToolResult) string {
	var texts []string
	for _, block := range result.Content {
		if text, ok := block.(mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n")
}
