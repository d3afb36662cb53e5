// Plays a scenario with the official library for Go, and prints its line.
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

var (
	client     = openai.NewClient()
	model      = os.Getenv("DUET_MODEL")
	question   = os.Getenv("DUET_QUESTION")
	pictureURL = readPicture()
)

var weatherSchema = map[string]any{
	"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}},
	"required": []string{"city"}, "additionalProperties": false,
}

var reportSchema = map[string]any{
	"type":       "object",
	"properties": map[string]any{"city": map[string]any{"type": "string"}, "degrees": map[string]any{"type": "number"}},
	"required":   []string{"city", "degrees"}, "additionalProperties": false,
}

type result = map[string]any

func readPicture() string {
	bytes, err := os.ReadFile(os.Getenv("DUET_PICTURE"))
	if err != nil {
		panic(err)
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(bytes)
}

// getWeather is the client's tool: what it returns stands nowhere else.
func getWeather(arguments string) string {
	var args struct{ City string }
	if json.Unmarshal([]byte(arguments), &args) == nil && args.City == "Paris" {
		return "18 degrees, " + os.Getenv("DUET_SECRET")
	}
	return "no such city: " + arguments
}

func askChat(ctx context.Context, params openai.ChatCompletionNewParams, messages ...openai.ChatCompletionMessageParamUnion) (openai.ChatCompletionMessage, error) {
	params.Model = model
	params.Messages = messages
	completion, err := client.Chat.Completions.New(ctx, params)
	if err != nil {
		return openai.ChatCompletionMessage{}, err
	}
	return completion.Choices[0].Message, nil
}

func playChat(ctx context.Context, scenario string) (result, error) {
	params := openai.ChatCompletionNewParams{}
	asked := openai.UserMessage(question)
	switch scenario {
	case "stream":
		params.Model = model
		params.Messages = []openai.ChatCompletionMessageParamUnion{asked}
		stream := client.Chat.Completions.NewStreaming(ctx, params)
		var pieces []string
		for stream.Next() {
			if choices := stream.Current().Choices; len(choices) > 0 && choices[0].Delta.Content != "" {
				pieces = append(pieces, choices[0].Delta.Content)
			}
		}
		return join(pieces), stream.Err()
	case "tools":
		params.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: "get_weather", Description: openai.String("Returns the weather of a city"), Parameters: weatherSchema,
		})}
		first, err := askChat(ctx, params, asked)
		if err != nil {
			return nil, err
		}
		messages := []openai.ChatCompletionMessageParamUnion{asked, first.ToParam()}
		for _, call := range first.ToolCalls {
			messages = append(messages, openai.ToolMessage(getWeather(call.Function.Arguments), call.ID))
		}
		second, err := askChat(ctx, params, messages...)
		return result{"text": second.Content}, err
	case "images":
		asked = openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
			openai.TextContentPart(question),
			openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: pictureURL}),
		})
	case "schema":
		params.ResponseFormat = openai.ChatCompletionNewParamsResponseFormatUnion{OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "report", Schema: reportSchema, Strict: openai.Bool(true)},
		}}
	}
	message, err := askChat(ctx, params, asked)
	return result{"text": message.Content}, err
}

func askResponses(ctx context.Context, params responses.ResponseNewParams) (*responses.Response, error) {
	params.Model = model
	return client.Responses.New(ctx, params)
}

func playResponses(ctx context.Context, scenario string) (result, error) {
	params := responses.ResponseNewParams{Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(question)}}
	switch scenario {
	case "stream":
		params.Model = model
		stream := client.Responses.NewStreaming(ctx, params)
		var pieces []string
		for stream.Next() {
			if event := stream.Current(); event.Type == "response.output_text.delta" {
				pieces = append(pieces, event.Delta)
			}
		}
		return join(pieces), stream.Err()
	case "tools":
		params.Tools = []responses.ToolUnionParam{{OfFunction: &responses.FunctionToolParam{
			Name: "get_weather", Description: openai.String("Returns the weather of a city"), Parameters: weatherSchema, Strict: openai.Bool(true),
		}}}
		first, err := askResponses(ctx, params)
		if err != nil {
			return nil, err
		}
		var outputs responses.ResponseInputParam
		for _, item := range first.Output {
			if item.Type == "function_call" {
				call := item.AsFunctionCall()
				outputs = append(outputs, toOutput(call.CallID, getWeather(call.Arguments)))
			}
		}
		params.Input = responses.ResponseNewParamsInputUnion{OfInputItemList: outputs}
		params.PreviousResponseID = openai.String(first.ID)
	case "images":
		content := responses.ResponseInputMessageContentListParam{
			responses.ResponseInputContentParamOfInputText(question),
			{OfInputImage: &responses.ResponseInputImageParam{ImageURL: openai.String(pictureURL), Detail: responses.ResponseInputImageDetailAuto}},
		}
		message := responses.ResponseInputItemParamOfMessage(content, responses.EasyInputMessageRoleUser)
		params.Input = responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{message}}
	case "schema":
		format := responses.ResponseFormatTextConfigParamOfJSONSchema("report", reportSchema)
		params.Text = responses.ResponseTextConfigParam{Format: format}
	}
	response, err := askResponses(ctx, params)
	if err != nil {
		return nil, err
	}
	return result{"text": response.OutputText()}, nil
}

func toOutput(id, text string) responses.ResponseInputItemUnionParam {
	return responses.ResponseInputItemUnionParam{OfFunctionCallOutput: &responses.ResponseInputItemFunctionCallOutputParam{
		CallID: openai.String(id),
		Output: responses.ResponseInputItemFunctionCallOutputOutputUnionParam{OfString: openai.String(text)},
	}}
}

func join(pieces []string) result {
	return result{"text": strings.Join(pieces, ""), "pieces": len(pieces)}
}

func waitFor(name string) {
	if response, err := http.Get(os.Getenv(name)); err == nil {
		response.Body.Close()
	}
}

// describe adds what the server says, which the error's own text leaves out.
func describe(err error) string {
	var refused *openai.Error
	if errors.As(err, &refused) {
		return err.Error() + ": " + refused.Message
	}
	return err.Error()
}

func main() {
	scenario, row := os.Args[len(os.Args)-1], os.Args[len(os.Args)-2]
	play := playChat
	if row == "responses" {
		play = playResponses
	}
	played := scenario
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	switch scenario {
	case "errors":
		played = "plain"
	case "cancel":
		played = "stream"
		go func() {
			waitFor("INTEROP_STARTED")
			stop()
			waitFor("INTEROP_ENDED")
			close(ended)
		}()
	}
	line, err := play(ctx, played)
	if line == nil {
		line = result{}
	}
	if err != nil {
		name := "error"
		if scenario == "errors" {
			name = "failed"
		}
		line[name] = describe(err)
	}
	if scenario == "cancel" {
		<-ended
	}
	line["scenario"] = scenario
	printed, _ := json.Marshal(line)
	fmt.Println(string(printed))
}
