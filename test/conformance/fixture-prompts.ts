import {
  acceptedContent,
  completable,
  inputRequired,
  type McpServer,
  type PromptMessage,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { image, text } from "./fixture-content.ts";

export function addPrompts(server: McpServer): void {
  server.registerPrompt("test_simple_prompt", { description: "A text." }, () => ({
    messages: [message(text("This is a simple prompt for testing."))],
  }));
  const argsSchema = z.object({
    arg1: completable(z.string(), (start) => ["testValue1", "testValue2"].filter((value) => value.startsWith(start))),
    arg2: z.string(),
  });
  const withArguments = { description: "A text with arguments.", argsSchema };
  server.registerPrompt("test_prompt_with_arguments", withArguments, ({ arg1, arg2 }) => ({
    messages: [message(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  }));
  const embedding = { description: "A resource.", argsSchema: z.object({ resourceUri: z.string() }) };
  server.registerPrompt("test_prompt_with_embedded_resource", embedding, ({ resourceUri: uri }) => {
    const resource = { uri, mimeType: "text/plain", text: "Embedded resource content for testing." };
    return { messages: [message({ type: "resource", resource }), message(text("Please process it."))] };
  });
  server.registerPrompt("test_prompt_with_image", { description: "A picture." }, () => ({
    messages: [message(image), message(text("Please analyze the image above."))],
  }));
  server.registerPrompt("test_input_required_result_prompt", { description: "Asks first." }, ({ mcpReq }) => {
    const requestedSchema = z.object({ context: z.string() });
    const answer = acceptedContent(mcpReq.inputResponses, "user_context", requestedSchema);
    if (answer) return { messages: [message(text(`In the context of ${answer.context}`))] };
    const user_context = inputRequired.elicit({ message: "What context should the prompt use?", requestedSchema });
    return inputRequired({ inputRequests: { user_context } });
  });
}

function message(content: PromptMessage["content"]): PromptMessage {
  return { role: "user", content };
}
