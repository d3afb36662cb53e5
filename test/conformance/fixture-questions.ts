import {
  acceptedContent,
  type InputRequest,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { declares, result } from "./fixture-content.ts";

const name = z.object({ name: z.string() });

/** The tools that ask, in either era by the same code, and the prompt that does. */
export function addQuestions(server: McpServer, states: RequestStateCodec): void {
  addOfOlderEra(server);
  addStateless(server);
  addStateful(server, states);
}

/** Asks until each question has an answer of its kind, then gives the answers as text. */
function untilAnswered(questions: InputRequests, { mcpReq }: ServerContext, requestState?: string) {
  const answers = Object.keys(questions).map((key) => inputResponse(mcpReq.inputResponses, key));
  if (answers.some(({ kind }) => kind === "missing")) return inputRequired({ inputRequests: questions, requestState });
  return result(`Answered: ${JSON.stringify(answers)}`);
}

function sampling(prompt: string, maxTokens: number): InputRequest {
  return inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: prompt } }],
    maxTokens,
  });
}

function askName(message: string): InputRequest {
  return inputRequired.elicit({ message, requestedSchema: name });
}

const choices = [
  { const: "value1", title: "First" },
  { const: "value2", title: "Second" },
  { const: "value3", title: "Third" },
];
const options = ["option1", "option2", "option3"];

function addOfOlderEra(server: McpServer): void {
  const prompt = { description: "Has its client's model answer.", inputSchema: z.object({ prompt: z.string() }) };
  server.registerTool("test_sampling", prompt, ({ prompt: words }, context) =>
    untilAnswered({ answer: sampling(words, 100) }, context),
  );
  const asked = { description: "Asks its client's user.", inputSchema: z.object({ message: z.string() }) };
  server.registerTool("test_elicitation", asked, ({ message }, context) => {
    const requestedSchema = z.object({ username: z.string(), email: z.string() });
    return untilAnswered({ user: inputRequired.elicit({ message, requestedSchema }) }, context);
  });
  const forms = {
    test_elicitation_sep1034_defaults: {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    },
    test_elicitation_sep1330_enums: {
      untitledSingle: { type: "string", enum: options },
      titledSingle: { type: "string", oneOf: choices },
      legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["One", "Two", "Three"] },
      untitledMulti: { type: "array", items: { type: "string", enum: options } },
      titledMulti: { type: "array", items: { anyOf: choices } },
    },
  } as const;
  for (const [tool, properties] of Object.entries(forms))
    server.registerTool(tool, { description: "Asks by a form." }, (context) => {
      const form = inputRequired.elicit({ message: "Please fill in", requestedSchema: { type: "object", properties } });
      return untilAnswered({ form }, context);
    });
}

function addStateless(server: McpServer): void {
  server.registerTool("test_input_required_result_elicitation", { description: "Asks for a name." }, hello);
  server.registerTool("test_streaming_elicitation", { description: "Asks for a name." }, hello);
  server.registerTool("test_input_required_result_sampling", { description: "Asks a model." }, (context) =>
    untilAnswered({ capital_question: sampling("What is the capital of France?", 100) }, context),
  );
  server.registerTool("test_input_required_result_list_roots", { description: "Asks for roots." }, (context) =>
    untilAnswered({ client_roots: inputRequired.listRoots() }, context),
  );
  // The SDK refuses it, as the suite wants it, where the client has not said that it samples.
  server.registerTool("test_missing_capability", { description: "Asks a model, whoever calls." }, (context) =>
    untilAnswered({ answer: sampling("Hello?", 50) }, context),
  );
  const careful = "Asks only what its client can answer.";
  server.registerTool("test_input_required_result_capabilities", { description: careful }, (context) => {
    const questions: InputRequests = {};
    if (declares(context, "elicitation")) questions.user_name = askName("What is your name?");
    if (declares(context, "sampling")) questions.greeting = sampling("Generate a greeting", 50);
    return untilAnswered(questions, context);
  });
}

/** An answer that is not what was asked for is asked for again. */
function hello({ mcpReq }: ServerContext) {
  const answer = acceptedContent(mcpReq.inputResponses, "user_name", name);
  if (answer) return result(`Hello, ${answer.name}!`);
  return inputRequired({ inputRequests: { user_name: askName("What is your name?") } });
}

function addStateful(server: McpServer, states: RequestStateCodec): void {
  const confirm = z.object({ ok: z.boolean() });
  for (const tool of ["request_state", "tampered_state"])
    server.registerTool(`test_input_required_result_${tool}`, { description: "Asks, with state." }, async (context) => {
      const { inputResponses, requestState } = context.mcpReq;
      if (inputResponses && requestState() === tool) return result("state-ok");
      const ok = inputRequired.elicit({ message: "Please confirm", requestedSchema: confirm });
      return inputRequired({ inputRequests: { confirm: ok }, requestState: await states.mint(tool) });
    });
  const many = { description: "Asks in three ways at once." };
  server.registerTool("test_input_required_result_multiple_inputs", many, async (context) => {
    const questions = {
      user_name: askName("What is your name?"),
      greeting: sampling("Generate a greeting", 50),
      client_roots: inputRequired.listRoots(),
    };
    return untilAnswered(questions, context, await states.mint("many"));
  });
  server.registerTool("test_input_required_result_multi_round", { description: "Asks twice." }, ({ mcpReq }) =>
    nextStep(mcpReq, states),
  );
}

async function nextStep({ inputResponses, requestState }: ServerContext["mcpReq"], states: RequestStateCodec) {
  const step = inputResponses === undefined ? 1 : Number(requestState()) + 1;
  const question = steps[step - 1];
  if (question === undefined) return result("Both steps are done.");
  const asked: InputRequiredResult = inputRequired({
    inputRequests: { [`step${step}`]: inputRequired.elicit(question) },
    requestState: await states.mint(step),
  });
  return asked;
}

const steps = [
  { message: "Step 1: What is your name?", requestedSchema: name },
  { message: "Step 2: What is your favorite color?", requestedSchema: z.object({ color: z.string() }) },
];
