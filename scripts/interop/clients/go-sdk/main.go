// Plays a scenario with the code of the page (duet.go).
package main

import (
	"context"
	"os"
	"regexp"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func play(ctx context.Context, scenario string, line map[string]any) error {
	session, err := openDuet(ctx, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			dialogs.Add(1)
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"scope": "once"}}, nil
		},
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { progress.Add(1) },
	})
	if err != nil {
		return err
	}
	defer session.Close()
	question := os.Getenv("DUET_QUESTION")
	switch scenario {
	case "lists":
		listed, err := session.ListTools(ctx, nil)
		if err != nil {
			return err
		}
		names := []string{}
		for _, tool := range listed.Tools {
			names = append(names, tool.Name)
		}
		line["tools"] = names
		if _, err := session.ListResources(ctx, nil); err != nil {
			return err
		}
		_, err = session.ListPrompts(ctx, nil)
		return err
	case "cancel":
		line["error"] = cancelOnceBegun(ctx, func(stoppable context.Context) error {
			_, err := askDuet(stoppable, session, question)
			return err
		})
		return nil
	case "limit":
		arguments := map[string]any{"question": question}
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "agent_ask", Arguments: arguments})
		return recordResult(result, err, line)
	}
	result, err := askDuet(ctx, session, question)
	if err == nil {
		if token := regexp.MustCompile(`"confirmation":"([^"]+)"`).FindStringSubmatch(readText(result)); token != nil {
			arguments := map[string]any{"question": "yes", "confirmation": token[1]}
			result, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "agent_ask", Arguments: arguments})
		}
	}
	return recordResult(result, err, line)
}

func recordResult(result *mcp.CallToolResult, err error, line map[string]any) error {
	if err != nil {
		return err
	}
	line["text"] = readText(result)
	line["structured"] = result.StructuredContent
	return nil
}

func readText(result *mcp.CallToolResult) string {
	var texts []string
	for _, block := range result.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n")
}
