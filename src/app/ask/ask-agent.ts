import type { RunOptions } from "../../agent/open-run.ts";
import type { Models } from "../../agent/run.ts";
import type { ServerStatus } from "../../client/server-connection.ts";
import type { Config, SubAgentSettings } from "../../config/config.ts";
import { operator } from "../../core/caller.ts";
import { getTraceId } from "../../core/chain.ts";
import { createRunFiles } from "../../core/files/run-files.ts";
import { noticeKinds } from "../../core/notices/notice-kinds.ts";
import type { AgentEvent } from "../../core/run/events.ts";
import { ignoreAbort, waitAbortable } from "../../kit/async/timeout.ts";
import { chooseLocale, type Text } from "../../kit/locale.ts";
import { openAskedConversation } from "../conversations/asked-conversation.ts";
import type { AskedTurn } from "../conversations/given-history.ts";
import { placeRuns } from "../conversations/place-runs.ts";
import { rememberApprovals } from "../conversations/remember-approvals.ts";
import { scopeStore } from "../conversations/scope-store.ts";
import { describeStoreProblem } from "../conversations/store-monitor.ts";
import type { DuetParts } from "../duet-parts.ts";
import { createAgentModels } from "../models/agent-models.ts";
import { chooseDeciders, type Deciders } from "../models/choose-deciders.ts";
import { withTurnBudgets } from "../models/with-turn-budget.ts";
import { listMissingServers, noticeBrokenTools, noticeNested, noticeServers, noticeUnmatched } from "../notices.ts";
import { chooseMode } from "../sub-agents/agent-choices.ts";
import { findAgentSessions } from "../sub-agents/agent-sessions.ts";
import { createAgentTools } from "../sub-agents/agent-tools.ts";
import { toDirectRequest } from "../sub-agents/direct-request.ts";
import { selectSearch } from "../tools/search-limits.ts";
import { type Inventory, noTools, type WantedTools } from "../tools/tool-inventory.ts";
import type { ActiveRun } from "./active-runs.ts";
import type { AskRequest } from "./ask-request.ts";
import { openBudgets } from "./budgets.ts";
import { createRecording } from "./create-recording.ts";
import { listOwnLimits, mergeLimits } from "./merge-limits.ts";
import type { AttachmentContext, PreparedAttachments } from "./prepare-attachments.ts";
import { findRefusal, openRunModels, reopenAnswerForm } from "./resume-run.ts";

/** Limits how long a question waits for servers that are still starting, in milliseconds. It continues without the late ones. */
const serverWaitMs = 10_000;

/**
 * Runs one question with the parts of an open `Duet`: finds its conversation, its models and its tools, and starts the agent, whose
 * events it tells. Rejects only when no run can begin.
 */
export async function askAgent(
  main: DuetParts,
  request: AskRequest,
  activeRun: ActiveRun,
  onEvent: (event: AgentEvent) => void,
): Promise<void> {
  const name = request.agent ?? request.resumed?.header.agent;
  const selected = name === undefined ? undefined : main.subAgents.open(name, main);
  const parts = selected?.parts ?? main;
  const { config, agent, evaluator, hooks, models, tools, conversations, attachments: preparation, telemetry } = parts;
  const { question, caller = operator, search, user, limits, chain } = request;
  const isOther = selected?.settings.acp !== undefined;
  const direct = isOther ? toDirectRequest(selected.settings.name, request, main.config) : undefined;
  const mode = chooseMode(selected, request.mode);
  const { history, budget, resumed, attachments = [], stop, toolChoice, documents } = request;
  const answerForm = request.answerForm ?? (resumed && (await reopenAnswerForm(resumed)));
  const { signal } = activeRun;
  const began = performance.now();
  const locale = request.locale ?? chooseLocale(config, question);
  const [
    { runAgent, prompts, markHabits, createMarkHabits },
    { store, journal, findUnsaved, takeNotices },
    openedModels,
  ] = await Promise.all([
    agent.get(),
    conversations.store.get(),
    isOther && name !== undefined
      ? createAgentModels(name)
      : (request.models ?? (resumed ? openRunModels(models, resumed) : models.open())),
  ]);
  const ownerStore = scopeStore(store, caller);
  const files = createRunFiles(async (hash) =>
    history === undefined ? ownerStore.readFile?.({ conversationId: conversation.id, hash }) : undefined,
  );
  const attached = await prepareFiles(preparation, { history, attachments }, { files, locale, signal }).catch(
    ignoreAbort(signal, { parts: [], refusals: [], history }),
  );
  const { conversation, session, approvals, place, givenStore, lostId, waitedMs } = await openAskedConversation(
    conversations,
    request,
    { store: ownerStore, journal, history: attached.history, going: activeRun },
  );
  request.recording?.onConversation?.(conversation.id);
  const { monitor } = conversations;
  const isOperator = caller.owner === undefined;
  const noticeReader = { locale, known: session.reported, isOperator, isUnsaved: history !== undefined };
  const folderInstructions = resumed ? resumed.header.folderInstructions : await findRunInstructions(config, request);
  const agentSessions = await findAgentSessions(conversation, ownerStore, place.after);
  const agentTools = createAgentTools({
    agents: isOther ? [selected.settings] : selected ? [] : main.subAgents.all,
    above: { ...request, folderInstructions },
    depth: main.config.depth,
    locale,
    findSources: () => conversation.sources,
    ask: (asked, push) => askSubAgent(main, asked, push),
    others: main.subAgents.others,
    sessions: agentSessions,
  });
  const allow = joinPatterns(request, selected?.settings);
  const wantedTools: WantedTools = {
    ...{ ...allow, more: agentTools, caller, patienceMs: serverWaitMs, knownSuffice: true, signal },
    ...(direct && { within: [...allow.within, [direct.answeredBy]], withoutServers: true, patienceMs: 0 }),
  };
  const { clientTools, callClient, earlierSteps } = request;
  const searchFirst = mode === "chat" && (search ?? config.search.enabled === true);
  const chatTools = searchFirst ? selectSearch(tools.inventory, session, wantedTools) : noTools;
  const resolvedTools = mode === "chat" ? chatTools : tools.inventory.resolveTools(session, wantedTools);
  // A caller who leaves while servers start still gets a run, which says that it was cancelled.
  const {
    tools: offered,
    servers,
    dropped,
  } = await waitAbortable(Promise.resolve(resolvedTools), signal).catch(ignoreAbort(signal, noTools));
  const patterns = mode === "chat" || isOther || signal.aborted ? [] : (request.tools ?? []);
  const serverReader = { known: session.reported, named: patterns, asked: { tools: offered, servers }, locale };
  const asked = { config, models: openedModels, request, conversation, mode, tools: offered, locale };
  const deciders: Deciders = isOther ? { models: openedModels, notices: [] } : await chooseDeciders(asked);
  const callsInChat = mode === "chat" && (clientTools?.tools.length ?? 0) + (earlierSteps?.length ?? 0) > 0;
  const billed = withTurnBudgets(callsInChat ? toOneModel(deciders.models) : deciders.models, budget);
  const observer = await telemetry.follow({
    question,
    models: deciders.models,
    tools: [...offered, ...(clientTools?.tools ?? [])],
    servers,
    callersTraceId: getTraceId(chain?.trace),
  });
  const budgets = await openBudgets({
    ...{ budgets: config.agent.budgets, store: ownerStore, conversationId: conversation.id, locale },
    isCounted: budget !== undefined || request.sending !== undefined,
  });
  const ownLimits = {
    ...mergeLimits(config, limits, chain, request.ceilings),
    ofAgent: selected && listOwnLimits(selected.settings),
  };
  const options: RunOptions = {
    request: {
      id: request.runId,
      question,
      attached: isOther ? [] : (resumed?.header.attached ?? attached.parts),
      mode,
      conversation,
      owner: caller.owner,
      instruction: joinInstructions(isOther ? undefined : selected?.settings.instructions, request.instruction),
      folderInstructions,
      search: searchFirst,
      answerForm,
      stop,
      toolChoice,
      // The numbers in another program's answer are its own.
      documents: isOther ? new Set() : documents,
      // The result of an agent below ends with its sources.
      omitsReferences: request.sources !== undefined,
      answeredBy: direct?.answeredBy,
      drafts: request.drafts,
      locale,
      timeZone: config.timeZone,
      isInteractive: request.isInteractive,
      goesOn: request.goesOn,
      goesOnWith: request.recording?.goesOnWith,
      earlierSteps,
      limits: resumed?.header.limits ?? budgets?.applyTo(ownLimits) ?? ownLimits,
      planPolicy: resumed?.header.planPolicy ?? config.agent.plan,
      chain,
      hookSession: session.hooks,
    },
    parts: {
      models: billed,
      router: deciders.router,
      budget,
      prompts,
      markHabits: request.isApart ? createMarkHabits() : markHabits,
      describeStoreProblem: (problem) => describeStoreProblem(problem, isOperator),
      store: givenStore ?? agentSessions.keepIn(placeRuns(ownerStore, place)),
      files,
      sending: request.sending,
      tools: await tools.limitSearches(session, offered),
      client: clientTools && callClient && { tools: clientTools, call: callClient },
      missingServers: listMissingServers(servers),
      finding: mode === "chat" ? undefined : await tools.search.open(session, allow.allow),
      evaluator,
      hooks,
      folders: mode === "chat" ? undefined : await tools.findFolders(config),
      inbox: request.inbox,
      user: user && rememberApprovals(user, session, () => void approvals?.save(session)),
    },
    spentMs: performance.now() - began - waitedMs,
    notices: [
      ...attached.refusals.map((why) => noticeKinds.notAttached(why, locale)),
      ...(isOther && attached.parts.length > 0 ? [noticeKinds.notAttached(describeUnattached(name), locale)] : []),
      ...(direct?.listNotices(locale) ?? []),
      ...monitor.listNotices(noticeReader),
      ...(isOperator ? takeNotices(locale) : []),
      ...(findUnsaved?.()?.takeSaved(caller.owner, conversation.id) ? [noticeKinds.savedLate("earlier", locale)] : []),
      ...(lostId === undefined
        ? []
        : [noticeKinds.conversationUnknown({ id: lostId, begun: conversation.id }, locale)]),
      ...noticeServers(servers, serverReader),
      ...noticeUnmatched(patterns, { tools: offered, servers }, locale),
      ...noticeBrokenTools(dropped, session.reported, locale),
      ...noticeNested(config, session.reported, locale),
      ...deciders.notices,
    ],
    findLateNotices: async (outcome) => [
      ...((await budgets?.settle(outcome)) ?? []),
      ...monitor.listLateNotices(noticeReader),
      ...noticeServers(await findLaterStates(tools, servers), serverReader),
    ],
    observer: activeRun.observe(observer),
    refusal: resumed ? findRefusal(config, resumed) : budgets?.refusal,
    // What the asking program has been asked for, no other process could hand out again.
    recording:
      history === undefined && journal && !clientTools
        ? createRecording(journal, { request, place, activeRun })
        : undefined,
    signal,
  };
  await runAgent(options, onEvent);
}

/** Returns what is known by now of the servers that were still starting when the question was asked. */
async function findLaterStates(
  { inventory }: DuetParts["tools"],
  asked: Inventory["servers"],
): Promise<ServerStatus[]> {
  const starting = asked.flatMap(({ name, state }) => (state === "starting" ? [name] : []));
  if (starting.length === 0) return [];
  return ((await inventory.pool())?.status() ?? []).filter(({ name }) => starting.includes(name));
}

function describeUnattached(name = ""): Text {
  return { zh: `智能体 ${name} 只能得到文字`, en: `the agent ${name} is given text alone` };
}

/** Runs a question of an agent below another one. Its run is not recorded: the one above makes the call again, or says that it did not end. */
async function askSubAgent(main: DuetParts, request: AskRequest, onEvent: (event: AgentEvent) => void): Promise<void> {
  const going = main.runs.begin(request.signal);
  try {
    await askAgent(main, request, going, onEvent);
  } finally {
    going.end();
  }
}

/** Returns the patterns of tools: those of the question, within those of the agent that answers it. */
function joinPatterns(
  { tools, within = [] }: Pick<AskRequest, "tools" | "within">,
  agent: SubAgentSettings | undefined,
): Pick<WantedTools, "allow"> & { within: readonly (readonly string[])[] } {
  const own = agent?.tools;
  return own === undefined ? { allow: tools, within } : { allow: tools ?? own, within: [...within, own] };
}

function joinInstructions(...texts: (string | undefined)[]): string | undefined {
  const given = texts.filter((text) => text !== undefined && text.trim() !== "");
  return given.length === 0 ? undefined : given.join("\n\n");
}

/** Returns the instructions of the working folder for a run: a terminal gives them, and `serve` where its operator wants it. */
async function findRunInstructions(
  { serve, environment, home, directory }: Pick<Config, "serve" | "environment" | "home" | "directory">,
  { folderInstructions, recording }: Pick<AskRequest, "folderInstructions" | "recording">,
): Promise<AskRequest["folderInstructions"]> {
  const isServed = recording?.entrance === "http" || recording?.entrance === "stdio";
  if (!isServed || !serve.instructions) return folderInstructions;
  const { findTrustedInstructions } = await import("../instructions/find-instructions.ts");
  return findTrustedInstructions({ directory, environment, home });
}

interface PreparedFiles extends PreparedAttachments {
  history: readonly AskedTurn[] | undefined;
}

/** Prepares what came with the question and with the turns that the asker keeps. What cannot be taken of those is left out silently: it was told when it came. */
async function prepareFiles(
  preparation: DuetParts["attachments"],
  { history, attachments = [] }: Pick<AskRequest, "history" | "attachments">,
  context: AttachmentContext,
): Promise<PreparedFiles> {
  if (attachments.length === 0 && !history?.some((turn) => turn.attachments?.length))
    return { parts: [], refusals: [], history };
  const { prepare } = await preparation.get();
  const turns: AskedTurn[] = [];
  for (const { attachments: earlier = [], ...turn } of history ?? []) {
    const { parts } = await prepare(earlier, context);
    turns.push(parts.length > 0 ? { ...turn, files: parts } : turn);
  }
  return { ...(await prepare(attachments, context)), history: history && turns };
}

/** In chat mode there is one model, which answers: it also calls the asking program's tools. */
function toOneModel({ answer, fallbacks }: Models): Models {
  return {
    functionCall: answer,
    answer,
    ...(fallbacks && { fallbacks: { functionCall: fallbacks.answer, answer: fallbacks.answer } }),
  };
}
