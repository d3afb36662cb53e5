import type { CallToolResult, InputRequiredResult, ServerContext, Tool } from "@modelcontextprotocol/server";
import { toAgentTool } from "../../../app/sub-agents/agent-tools.ts";
import type { SubAgentSettings } from "../../../config/config.ts";
import { readChainMeta } from "../../../core/chain.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { createOnce } from "../../../kit/async/once.ts";
import { isRecord } from "../../../kit/json.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { cancelInput, type Detail, type IncludedPart, messageInput, resultInput } from "../../../runs/ask-schema.ts";
import { type Host, readHost } from "../../../runs/input/host.ts";
import type { HostConnection } from "../../../runs/input/host-connection.ts";
import { createInputRequests } from "../../../runs/input/input-requests.ts";
import { describeUnknownRun, type LiveRuns } from "../../../runs/live/live-run.ts";
import type { RunHandle } from "../../../runs/live/run-handle.ts";
import { toFinishedOutcome } from "../../../runs/outcomes/finished-outcome.ts";
import { addEarlier, addPlanToken } from "../../../runs/outcomes/outcome-for.ts";
import { type RunService, releaseRun } from "../../../runs/run-service.ts";
import { sendMessage } from "../../../runs/send-message.ts";
import type { Capabilities, ResourceCapability, ToolCapability } from "../capabilities.ts";
import { createFailedResult, toFailedResult } from "../failed-result.ts";
import { createObservedTimeouts } from "../observed-timeouts.ts";
import { readInput } from "../read-input.ts";
import { handleAsk } from "./ask.ts";
import { toAskResult } from "./ask-result.ts";
import { createAgentCompletion } from "./complete-arguments.ts";
import { type AgentDescription, describeAgent, describeForAgents, filterUsableTools } from "./describe-agent.ts";
import { createListedSchemas, type ListedSchemas } from "./listed-schemas.ts";
import { createAgentPrompts } from "./prompts.ts";
import { createAgentResources } from "./resources.ts";
import { readRunImages } from "./run-images.ts";
import { canShowPages, createRunPage, runPageMeta } from "./run-page.ts";
import { type AgentService, type ConnectionScope, chooseResultOptions, serveRun, toHostRequest } from "./serve-run.ts";
import { serveTasks } from "./tasks.ts";

export interface AgentOptions {
  /** Holds the rules of `tools.ask`. */
  asks: readonly string[];
}

/** Offers the agent as tools, for any connection. */
export interface Agent {
  readonly runs: LiveRuns;
  /** Returns the agent's capabilities for one connection. */
  createCapabilities(connection: HostConnection): Capabilities;
}

export function createAgent(shared: RunService, { asks }: AgentOptions): Agent {
  const { duet, runs, settings } = shared;
  const { locale } = duet;
  const followed = duet.storedRuns.areShared ? shared.followed : undefined;
  const inputRequests = createInputRequests<CallToolResult>({ locale });
  const service: AgentService = {
    ...shared,
    inputRequests,
    observedTimeouts: createObservedTimeouts(duet, settings.window),
  };
  const listAgentTools = createAgentTools(locale);
  /** Returns the id of the run that waits for approval of a call. */
  function readRunId(token: string): string | undefined {
    const claim = service.confirmations.read(token);
    return claim?.kind === "call" ? claim.id : undefined;
  }

  return {
    runs,
    createCapabilities(connection) {
      const { caller, server } = connection;
      const knownRuns = new Set<string>();
      const scope: ConnectionScope = { ...service, connection, caller, knownRuns, hasListedTools: false };
      serveTasks(server, scope);
      const gateway = duet.gateway(caller);
      const page = createRunPage({ runs, followed, caller, locale, runIdOf: readRunId });
      const resources = createAgentResources({ duet, runs, followed, caller, knownRuns, locale });
      return {
        tools: createToolCapability({ scope, asks, page: page.tools, listAgentTools }),
        prompts: createAgentPrompts({ duet, caller, locale }),
        resources: withPage(resources, page.resources),
        complete: createAgentCompletion({ duet, caller }),
        onChange(listener) {
          const stop = [gateway.onChange((list) => list === "tools" && listener(list)), resources.onChange(listener)];
          return () => {
            for (const each of stop) each();
          };
        },
        close() {
          if (connection.isOneRequest) return;
          inputRequests.closeConnection(connection);
          // Some clients open a session for each call: over HTTP the next one may ask for the result of this one's run.
          const isSession = connection.inputEnded === undefined;
          for (const run of runs.releaseConnection(connection)) {
            if (isSession) releaseRun(service, run, [], { isLost: true });
            else if (settings.onDisconnect === "cancel") run.cancel();
          }
        },
      };
    },
  };
}

/** Limits how long servers that are starting are waited for, in milliseconds. The list changes once they are ready. */
const patienceMs = 2000;

interface AgentCapabilities {
  scope: ConnectionScope;
  asks: readonly string[];
  page: ToolCapability;
  listAgentTools: ReturnType<typeof createAgentTools>;
}

function createToolCapability({ scope, asks, page, listAgentTools }: AgentCapabilities): ToolCapability {
  const { duet, connection, settings } = scope;
  const { locale } = duet;
  async function describe(signal: AbortSignal | undefined): Promise<AgentDescription> {
    const { tools, servers } = await duet.inventory(signal, patienceMs);
    return describeAgent(filterUsableTools(tools, connection.caller), servers, { ask: asks, locale });
  }

  return {
    async list(signal, host) {
      scope.hasListedTools = true;
      const described = host && isDuet(host) ? describeForAgents(locale) : await describe(signal);
      const shows = canShowPages(host?.capabilities);
      const own = await listAgentTools({ ...described, meta: shows ? runPageMeta : undefined });
      const others = settings.agents ? duet.agents.map((agent) => toSubAgentTool(agent, locale)) : [];
      return [...own, ...others, ...(shows ? await page.list(signal, host) : [])];
    },
    async call(name, args, context) {
      if (name === "agent_ask") return handleAsk(scope, args, context);
      const agent = settings.agents ? duet.agents.find((each) => toAgentTool(each.name) === name) : undefined;
      if (agent) return handleAsk(scope, { ...(isRecord(args) && args), agent: agent.name }, context);
      if (name === "agent_result") return handleResult(scope, args, context);
      if (name === "agent_cancel") return handleCancel(scope, args, context);
      if (name === "agent_message") return handleMessage(scope, args);
      return page.call(name, args, context);
    },
  };
}

/** A Duet has a title as well; Mastra reports the name that its settings give the server. */
function isDuet({ name, title }: Host): boolean {
  return name === "duet" && title.startsWith("Duet ");
}

/** Every host can read the page; it is listed only for hosts that show pages. */
function withPage(one: ResourceCapability, other: ResourceCapability): ResourceCapability {
  return {
    async list(signal, host) {
      const page = canShowPages(host?.capabilities) ? await other.list(signal, host) : [];
      return [...(await one.list(signal, host)), ...page];
    },
    templates: one.templates,
    read: async (uri, context) => (await one.read(uri, context)) ?? other.read(uri, context),
  };
}

/** Handles `agent_result`: waits for an active run, or returns how it ended. */
export async function handleResult(
  scope: ConnectionScope,
  args: unknown,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { duet, runs, connection } = scope;
  const input = readInput(resultInput, args, duet.locale);
  if (typeof input === "string") return createFailedResult(input);
  const { run_id: id, wait_s: waitS, detail, include } = input;
  const run = runs.find(id, connection.caller) ?? (await resumeRun(scope, id));
  const locale = run?.locale ?? duet.locale;
  const host = readHost(connection.server, context);
  const chain = readChainMeta(context.mcpReq._meta);
  const hostRequest = toHostRequest(scope, context.mcpReq.id);
  const request = { kind: "agent_result", context, host, chain, locale, hostRequest, waitS, detail, include } as const;
  return serveRun(scope, request, async () => run ?? readStoredResult(scope, id, request));
}

/** Goes on with a run that a crash has interrupted, however long ago: somebody asks for its result. Another process may have it. */
async function resumeRun({ resumer, followed, caller }: ConnectionScope, id: string): Promise<RunHandle | undefined> {
  await resumer.resumeAll();
  const resuming = resumer.resume(id, caller).then((run) => run ?? followed.find(id, caller));
  return ignoreRejection(resuming, "reading the stored result reports what is wrong with the store");
}

/** Finds a run of this process or of another one. */
async function findGoing({ runs, followed, caller }: ConnectionScope, id: string): Promise<RunHandle | undefined> {
  return runs.find(id, caller) ?? (await ignoreRejection(followed.find(id, caller), "the store reports it"));
}

/** Limits how long a cancelled run is waited for, in milliseconds. */
const cancelPatienceMs = 2000;

/** Handles `agent_cancel`: stops a run and returns its outcome. */
export async function handleCancel(
  scope: ConnectionScope,
  args: unknown,
  context: ServerContext,
): Promise<CallToolResult> {
  const { duet, runs, connection } = scope;
  const input = readInput(cancelInput, args, duet.locale);
  if (typeof input === "string") return createFailedResult(input);
  const run = await findGoing(scope, input.run_id);
  const host = readHost(connection.server, context);
  if (run === undefined)
    return readStoredResult(scope, input.run_id, { host }).catch((thrown) => toFailedResult(thrown, duet.locale));
  const outcome = addEarlier(run, await runs.cancel(run, cancelPatienceMs, context.mcpReq.signal));
  const { locale } = run;
  const waits = outcome.status === "running" ? say(locale, stopIsKept) : undefined;
  return toAskResult(outcome, { ...chooseResultOptions(scope, { host }), locale, waits });
}

/** Is told where the process of a run has not answered yet. */
const stopIsKept: Text = {
  zh: "已记下停止请求：执行它的进程一读到就会停止；如果那个进程已经失去联系，接手的进程会停止它。",
  en: "Its stop is recorded: it ends as soon as its process reads that, or the next one that takes it over.",
};

/** Handles `agent_message`: says something to one of the caller's runs while it works. */
export async function handleMessage(scope: ConnectionScope, args: unknown): Promise<CallToolResult> {
  const { duet } = scope;
  const input = readInput(messageInput, args, duet.locale);
  if (typeof input === "string") return createFailedResult(input);
  const run = await findGoing(scope, input.run_id);
  if (run === undefined) return createFailedResult(say(duet.locale, describeUnknownRun(input.run_id)));
  try {
    const undelivered = await sendMessage(run, input.message);
    if (undelivered) return createFailedResult(say(run.locale, undelivered.text));
    return { content: [{ type: "text", text: say(run.locale, passedOn) }] };
  } catch (thrown) {
    return toFailedResult(thrown, run.locale);
  }
}

const passedOn: Text = { zh: "下一步开始前转达。", en: "It is passed on at the next step." };

/** Returns the stored result of a run that this process no longer knows. */
async function readStoredResult(
  scope: ConnectionScope,
  runId: string,
  request: { host: Host; detail?: Detail | undefined; include?: readonly IncludedPart[] | undefined },
): Promise<CallToolResult> {
  const { duet, connection } = scope;
  const trace = await duet.trace(runId, connection.caller);
  if (trace === undefined) return createFailedResult(say(duet.locale, describeUnknownRun(runId)));
  const locale = duet.localeFor(trace.question);
  const outcome = await addPlanToken(scope, toFinishedOutcome(trace, locale));
  const images = await readRunImages(scope, { outcome, include: request.include });
  return toAskResult(outcome, { ...chooseResultOptions(scope, request), locale, images });
}

export interface AskDescription {
  description: string;
  annotations: Tool["annotations"];
  meta: Record<string, unknown> | undefined;
}

/**
 * Creates the agent's tools as a host sees them. Their schemas take milliseconds to make, so they are made once, for the first
 * list.
 */
export function createAgentTools(locale: Locale): (description: AskDescription) => Promise<Tool[]> {
  const schemas = createOnce(createListedSchemas);
  return async (described) => toTools(described, await schemas.get(), locale);
}

function toTools({ description, annotations, meta }: AskDescription, schemas: ListedSchemas, locale: Locale): Tool[] {
  const { ask, result, cancel, message, output: outputSchema } = schemas;
  return [
    {
      name: "agent_ask",
      title: say(locale, { zh: "询问 Duet", en: "Ask Duet" }),
      description,
      inputSchema: ask,
      outputSchema,
      annotations,
      _meta: meta,
    },
    {
      name: "agent_result",
      title: say(locale, { zh: "取得 Duet 的结果", en: "Get Duet's result" }),
      description: say(locale, resultDescription),
      inputSchema: result,
      outputSchema,
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    },
    {
      name: "agent_cancel",
      title: say(locale, { zh: "停止 Duet 的运行", en: "Stop a run of Duet" }),
      description: say(locale, cancelDescription),
      inputSchema: cancel,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    {
      name: "agent_message",
      description: say(locale, messageDescription),
      inputSchema: message,
    },
  ];
}

/** Returns the tool of a configured agent. It takes what `agent_ask` takes, and lists the least that a model needs. */
function toSubAgentTool({ name, description }: SubAgentSettings, locale: Locale): Tool {
  const question = { type: "string", description: say(locale, questionHelp) };
  const conversation = { type: "string", description: say(locale, conversationHelp) };
  return {
    name: toAgentTool(name),
    description,
    inputSchema: {
      type: "object",
      properties: { question, conversation_id: conversation },
      required: ["question"],
    },
    annotations: { readOnlyHint: false, openWorldHint: true },
  };
}

const questionHelp: Text = {
  zh: "要它回答的问题或完成的任务，写全所需的信息。",
  en: "The question or task, with all that it needs to know.",
};

const conversationHelp: Text = {
  zh: "继续之前的话题：它的结果中的 conversation_id。",
  en: "Continues an earlier topic: the conversation_id of its result.",
};

const resultDescription: Text = {
  zh: "取得 agent_ask 的一次运行的结果，run_id 来自状态为 running 的结果。会等到运行结束；仍未结束时再次返回 running。",
  en: "Returns the result of an agent_ask run that returned the status running, by its run_id. Waits for the run to end; returns running again if it has not.",
};

const messageDescription: Text = {
  zh: "向进行中的运行补充说明，下一步生效。",
  en: "Tells a run in progress something, which it reads before its next step.",
};

const cancelDescription: Text = {
  zh: "停止 agent_ask 的一次正在进行的运行，返回到此为止的结果。",
  en: "Stops an agent_ask run in progress and returns the result so far.",
};
