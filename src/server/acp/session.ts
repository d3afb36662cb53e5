import type {
  AgentContext,
  AvailableCommand,
  ClientCapabilities,
  PromptResponse,
  SessionConfigOption,
  SessionModeState,
  SessionUpdate,
  StopReason,
} from "@agentclientprotocol/sdk";
import { RequestError } from "@agentclientprotocol/sdk";
import { findTrustedInstructions } from "../../app/instructions/find-instructions.ts";
import type { ModelChanges } from "../../app/models/change-models.ts";
import { createFolderConsent } from "../../app/questions/folder-consent.ts";
import { toModelName } from "../../core/model/model.ts";
import type { AgentEvent } from "../../core/run/events.ts";
import type { Mode, Outcome } from "../../core/run/outcome.ts";
import { createRunInbox } from "../../core/run/run-inbox.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createTimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import { toDuetError } from "../../kit/errors.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { renderOutcome } from "../../render/step-writer.ts";
import { createEditorConsent } from "./ask-about-call.ts";
import { createEditorUser } from "./ask-editor.ts";
import { findCommand, type SessionCommand, sessionCommands } from "./commands.ts";
import { type CommandQuestion, findCommandQuestion, listFileCommands, listPromptCommands } from "./own-commands.ts";
import type { Prompt } from "./read-prompt.ts";
import { replayTurns } from "./replay-turns.ts";
import { describeModes, describeOptions, type OptionId, type SessionChoices } from "./session-options.ts";
import { createUpdateWriter } from "./session-updates.ts";
import { createKinds } from "./tool-kinds.ts";
import type { Workspace } from "./workspace.ts";

export interface SessionOptions {
  /** Is the ID of the conversation, which the session shows. */
  id: string;
  workspace: Workspace;
  client: AgentContext;
  capabilities: ClientCapabilities;
  mode: Mode;
}

/** Represents one conversation in an editor. */
export interface Session {
  readonly workspace: Workspace;
  describe(): Promise<{ modes: SessionModeState; configOptions: SessionConfigOption[] }>;
  /** Answers a prompt. Throws a `RequestError` where there is no answer, and while another one is being answered. */
  prompt(prompt: Prompt): Promise<PromptResponse>;
  cancel(): void;
  setMode(mode: Mode): Promise<void>;
  /** Throws a `DuetError` for a model that cannot be used. */
  setOption(id: OptionId, value: string): Promise<void>;
  /** Tells the editor the turns so far. */
  replay(): Promise<void>;
  announceCommands(): Promise<void>;
  /** Cancels what is running, and resolves when it is over. */
  close(): Promise<void>;
}

/** Limits how long the vendors' lists of models are waited for, in milliseconds. Models in force are offered in any case. */
const modelListMs = 1_500;

export function createSession({ id, workspace, client, capabilities, mode: firstMode }: SessionOptions): Session {
  const { duet, config, directory } = workspace;
  let mode = firstMode;
  let changes: ModelChanges | undefined;
  let going: { stop: AbortController; over: Promise<unknown> } | undefined;
  const kinds = createKinds(duet);

  const notify = (update: SessionUpdate): Promise<void> => client.notify("session/update", { sessionId: id, update });

  async function findChoices(): Promise<SessionChoices> {
    const { functionCall, answer } = await duet.models.open(changes);
    return { mode, functionCall: toModelName(functionCall), answer: toModelName(answer) };
  }

  async function listModels(): Promise<string[]> {
    const limit = createTimeLimit(modelListMs, () => timeoutError("models", modelListMs));
    const names = await ignoreRejection(
      duet.models.listNames(limit.signal),
      "the models in force are offered in any case",
    );
    limit.clear();
    return names ?? [];
  }

  async function runCommand({ run }: SessionCommand, locale: Locale, signal: AbortSignal): Promise<PromptResponse> {
    const text = await run({ duet, conversationId: id, mode, changes, locale, signal });
    await notify({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
    return { stopReason: "end_turn" };
  }

  async function ask(
    { text, attachments }: Prompt,
    signal: AbortSignal,
    command?: CommandQuestion,
  ): Promise<PromptResponse> {
    const locale = duet.localeFor(text);
    const models = command?.models ? { ...changes, ...command.models } : changes;
    const writer = createUpdateWriter({ locale, findKind: await kinds.read() });
    const open = new Map<string, Extract<AgentEvent, { type: "tool-start" }>>();
    const folderInstructions = await findTrustedInstructions(config);
    const user = createEditorUser({
      client,
      sessionId: id,
      capabilities,
      locale,
      consent: createEditorConsent(createFolderConsent(config, directory), locale),
      findCall: ({ tool, arguments: args }) => findOpenCall(open.values(), tool, args),
    });
    let outcome: Outcome | undefined;
    const events = duet.ask({
      question: text || "…",
      attachments,
      conversationId: id,
      // What was deleted meanwhile begins anew under its ID, too: the editor has no other one.
      isFirst: true,
      folder: directory,
      mode: command?.mode ?? mode,
      ...(command?.tools && { tools: command.tools }),
      models: models && (await duet.models.open(models)),
      user,
      inbox: createRunInbox(),
      isInteractive: true,
      folderInstructions,
      locale,
      recording: { entrance: "terminal" },
      signal,
    });
    for await (const event of events) {
      if (event.type === "tool-start") open.set(event.callId, event);
      if (event.type === "tool-end") open.delete(event.callId);
      if (event.type === "run-end") outcome = event.outcome;
      for (const update of writer.write(event)) await notify(update);
    }
    if (outcome === undefined) throw RequestError.internalError();
    return finish(outcome, locale);
  }

  async function answer(prompt: Prompt, signal: AbortSignal): Promise<PromptResponse> {
    try {
      const command = findCommand(prompt.text);
      if (command) return await runCommand(command, duet.locale, signal);
      const question = await findCommandQuestion(workspace, prompt.text, signal);
      // What a server has written goes to the models as if a person had typed it, so they see it.
      if (question?.isFromServer)
        await notify({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: `${question.text}\n\n` } });
      return await ask(question ? { ...prompt, text: question.text } : prompt, signal, question);
    } catch (thrown) {
      if (signal.aborted) return { stopReason: "cancelled" };
      if (thrown instanceof RequestError) throw thrown;
      const { text, hint } = toDuetError(thrown);
      const lines = [say(duet.locale, text), hint ? say(duet.locale, hint) : ""];
      throw new RequestError(-32603, lines.filter((line) => line !== "").join("\n"));
    }
  }

  async function finish(outcome: Outcome, locale: Locale): Promise<PromptResponse> {
    if (outcome.status === "failed" && outcome.error) {
      const { code, message, hint } = outcome.error;
      if (code === "auth") throw new RequestError(-32000, message, { hint });
      throw new RequestError(-32603, [message, hint ?? ""].filter((line) => line !== "").join("\n"), { code });
    }
    const beside = renderOutcome(outcome, locale).join("\n\n");
    if (beside !== "" && outcome.status !== "cancelled")
      await notify({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: `\n\n${beside}` } });
    await reportUse(outcome);
    await reportTitle();
    return { stopReason: toStopReason(outcome) };
  }

  /** Tells what fills the window of the model that answers, and what the run has cost. */
  async function reportUse({ meta }: Outcome): Promise<void> {
    const { signal } = new AbortController();
    const uses = await ignoreRejection(
      duet.measureContext({ conversationId: id, mode, signal }),
      "an editor shows the figures beside the answer, which is there",
    );
    const use = uses?.at(-1);
    if (use === undefined || !Number.isFinite(use.window)) return;
    const used = Object.values(use.parts).reduce((sum, tokens) => sum + tokens, 0);
    const cost = meta.cost_usd === null ? undefined : { amount: meta.cost_usd, currency: "USD" };
    await notify({ sessionUpdate: "usage_update", used, size: use.window, ...(cost && { cost }) });
  }

  async function reportTitle(): Promise<void> {
    const store = await duet.store();
    const conversation = await ignoreRejection(store.load(id), "a title is not worth a failure");
    if (conversation?.title)
      await notify({
        sessionUpdate: "session_info_update",
        title: conversation.title,
        updatedAt: new Date().toISOString(),
      });
  }

  return {
    workspace,
    async describe() {
      const [choices, models] = await Promise.all([findChoices(), listModels()]);
      const { locale } = duet;
      return { modes: describeModes(mode, locale), configOptions: describeOptions(choices, models, locale) };
    },
    async prompt(prompt) {
      if (going !== undefined) throw RequestError.invalidRequest(undefined, say(duet.locale, oneAtATime));
      const stop = new AbortController();
      const answering = answer(prompt, stop.signal).finally(() => {
        going = undefined;
      });
      going = { stop, over: ignoreRejection(answering, "the prompt reports it") };
      return answering;
    },
    cancel: () => going?.stop.abort(),
    async setMode(chosen) {
      mode = chosen;
      await notify({ sessionUpdate: "current_mode_update", currentModeId: chosen });
    },
    async setOption(option, value) {
      const changed = { ...changes, [option]: value };
      // Throws where the model cannot be used, before anything has changed.
      await duet.models.open(changed);
      changes = changed;
    },
    async replay() {
      const conversation = await (await duet.store()).load(id);
      if (conversation === undefined) return;
      for (const update of replayTurns(conversation, await kinds.read())) await notify(update);
    },
    async announceCommands() {
      const own = sessionCommands.map(
        ({ name, description }): AvailableCommand => ({ name, description: say(duet.locale, description) }),
      );
      const known = [...own, ...(await listFileCommands(workspace))];
      await notify({ sessionUpdate: "available_commands_update", availableCommands: known });
      const prompts = await listPromptCommands(workspace);
      if (prompts.length > 0)
        await notify({ sessionUpdate: "available_commands_update", availableCommands: [...known, ...prompts] });
    },
    async close() {
      going?.stop.abort();
      await going?.over;
    },
  };
}

function findOpenCall(
  open: Iterable<Extract<AgentEvent, { type: "tool-start" }>>,
  tool: string,
  args: unknown,
): string | undefined {
  const asked = JSON.stringify(args);
  const calls = [...open].filter((call) => call.tool === tool);
  return (calls.find((call) => JSON.stringify(call.arguments) === asked) ?? calls.at(-1))?.callId;
}

const stopReasons: Readonly<Partial<Record<Outcome["stop_reason"], StopReason>>> = {
  length: "max_tokens",
  refused: "refusal",
  cancelled: "cancelled",
  iteration_limit: "max_turn_requests",
};

function toStopReason({ status, stop_reason: reason }: Outcome): StopReason {
  if (status === "cancelled") return "cancelled";
  return stopReasons[reason] ?? "end_turn";
}

const oneAtATime = {
  zh: "上一个问题还在运行（允许：等待结束，或先取消）。",
  en: "The question before is still running (allowed: wait for its end, or cancel it).",
};
