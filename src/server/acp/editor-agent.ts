import { isAbsolute } from "node:path";
import {
  type AgentConnection,
  type AgentContext,
  agent,
  type ClientCapabilities,
  type McpServer,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type SessionInfo,
  type Stream,
} from "@agentclientprotocol/sdk";
import type { Mode } from "../../core/outcome.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { toDuetError } from "../../kit/errors.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { version } from "../../kit/version.ts";
import {
  createOpenWorkspaces,
  type OpenWorkspace,
  type SharedWorkspace,
  type WorkspacePlace,
} from "./open-workspaces.ts";
import { readPrompt } from "./read-prompt.ts";
import { createSession, type Session } from "./session.ts";
import { isMode, isOptionId, optionIds } from "./session-options.ts";

export interface EditorAgentOptions {
  openWorkspace: OpenWorkspace;
  locale: Locale;
  /** Is the mode of a session that has not chosen one. */
  mode: Mode | undefined;
}

/** Represents the agent that one editor talks to. */
export interface EditorAgent {
  connect(stream: Stream): AgentConnection;
  /** Cancels what is running, and ends the servers. */
  close(): Promise<void>;
}

interface OpenSession {
  session: Session;
  held: SharedWorkspace;
}

/** Lists at most this many conversations in an answer. */
const pageSize = 50;

export function createEditorAgent({ openWorkspace, locale, mode: firstMode }: EditorAgentOptions): EditorAgent {
  const sessions = new Map<string, OpenSession>();
  const workspaces = createOpenWorkspaces(openWorkspace);
  let capabilities: ClientCapabilities = {};

  function find(id: string): Session {
    const open = sessions.get(id);
    if (open === undefined) throw RequestError.sessionNotFound(id);
    return open.session;
  }

  /** The protocol wants a whole path: what another one is relative to, nobody could tell. */
  function hold(place: WorkspacePlace): Promise<SharedWorkspace> {
    if (isAbsolute(place.directory)) return workspaces.hold(place);
    throw RequestError.invalidParams({ cwd: place.directory, allowed: "an absolute path" });
  }

  async function open(id: string, held: SharedWorkspace, client: AgentContext): Promise<Session> {
    await close(id);
    const { workspace } = held;
    const mode = firstMode ?? workspace.config.agent.mode ?? "agent";
    const session = createSession({ id, workspace, client, capabilities, mode });
    sessions.set(id, { session, held });
    return session;
  }

  async function close(id: string): Promise<void> {
    const open = sessions.get(id);
    sessions.delete(id);
    await open?.session.close();
    await open?.held.release();
  }

  /** Describes a session for the answer to its request. Editors take no update of a new one before that answer. */
  async function describe(session: Session) {
    const described = await session.describe();
    setTimeout(() => void ignoreRejection(session.announceCommands(), "an editor that has left hears of nothing"), 0);
    return described;
  }

  async function openKnown(
    { sessionId, cwd, mcpServers = [] }: { sessionId: string; cwd: string; mcpServers?: McpServer[] },
    client: AgentContext,
  ): Promise<Session> {
    const held = await hold({ directory: cwd, servers: mcpServers });
    const known = await (await held.workspace.duet.store()).load(sessionId);
    if (known !== undefined) return open(sessionId, held, client);
    await held.release();
    throw RequestError.sessionNotFound(sessionId);
  }

  /** Removes a conversation; one that is not there needs no removal. */
  async function remove(id: string): Promise<void> {
    const open = sessions.get(id);
    const { duet } = open?.held.workspace ?? (await workspaces.find(undefined));
    // A run that is cancelled is kept, too.
    await open?.session.close();
    await (await duet.store()).remove(id);
    await close(id);
  }

  async function list(cwd: string | undefined, cursor: string | undefined) {
    const offset = Number(cursor ?? 0);
    if (!Number.isSafeInteger(offset) || offset < 0) throw RequestError.invalidParams({ cursor });
    const { duet, directory } = await workspaces.find(cwd);
    const found = await (await duet.store()).list({ limit: pageSize + 1, offset, folder: cwd });
    const listed = found.slice(0, pageSize).map(
      ({ id, title, folder, updatedAt }): SessionInfo => ({
        sessionId: id,
        cwd: folder ?? directory,
        title,
        updatedAt,
      }),
    );
    return { sessions: listed, ...(found.length > pageSize && { nextCursor: String(offset + pageSize) }) };
  }

  /** Puts what went wrong into words that an editor shows. */
  async function tryAnswer<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      if (thrown instanceof RequestError) throw thrown;
      const { text, hint } = toDuetError(thrown);
      const lines = [say(locale, text), hint ? say(locale, hint) : ""].filter((line) => line !== "");
      throw new RequestError(-32603, lines.join("\n"));
    }
  }

  const app = agent({ name: "duet" })
    .onRequest(methods.agent.initialize, ({ params }) => {
      capabilities = params.clientCapabilities ?? {};
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: "duet", title: "Duet", version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, embeddedContext: true },
          mcpCapabilities: { http: true, sse: true },
          sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
        },
        authMethods: [],
      };
    })
    .onRequest(methods.agent.authenticate, () => ({}))
    .onRequest(methods.agent.session.new, ({ params: { cwd, mcpServers }, client }) =>
      tryAnswer(async () => {
        const held = await hold({ directory: cwd, servers: mcpServers });
        const { id } = await (await held.workspace.duet.store()).create();
        return { sessionId: id, ...(await describe(await open(id, held, client))) };
      }),
    )
    .onRequest(methods.agent.session.load, ({ params, client }) =>
      tryAnswer(async () => {
        const session = await openKnown(params, client);
        await session.replay();
        return describe(session);
      }),
    )
    .onRequest(methods.agent.session.resume, ({ params, client }) =>
      tryAnswer(async () => describe(await openKnown(params, client))),
    )
    .onRequest(methods.agent.session.list, ({ params: { cwd, cursor } }) =>
      tryAnswer(() => list(cwd ?? undefined, cursor ?? undefined)),
    )
    .onRequest(methods.agent.session.close, ({ params: { sessionId } }) =>
      tryAnswer(async () => {
        find(sessionId);
        await close(sessionId);
        return {};
      }),
    )
    .onRequest(methods.agent.session.delete, ({ params: { sessionId } }) =>
      tryAnswer(async () => {
        await remove(sessionId);
        return {};
      }),
    )
    .onRequest(methods.agent.session.setMode, async ({ params: { sessionId, modeId } }) => {
      const session = find(sessionId);
      if (!isMode(modeId)) throw RequestError.invalidParams({ modeId });
      await session.setMode(modeId);
      return {};
    })
    .onRequest(methods.agent.session.setConfigOption, ({ params }) =>
      tryAnswer(async () => {
        const { sessionId, configId, value } = params;
        const session = find(sessionId);
        if (!isOptionId(configId) || typeof value !== "string")
          throw RequestError.invalidParams({ configId, allowed: optionIds });
        await choose(session, configId, value);
        return { configOptions: (await session.describe()).configOptions };
      }),
    )
    .onRequest(methods.agent.session.prompt, ({ params: { sessionId, prompt } }) =>
      tryAnswer(() => find(sessionId).prompt(readPrompt(prompt))),
    )
    .onNotification(methods.agent.session.cancel, ({ params: { sessionId } }) =>
      sessions.get(sessionId)?.session.cancel(),
    );

  return {
    connect: (stream) => app.connect(stream),
    async close() {
      const ended = Promise.all([...sessions.keys()].map(close));
      // The end of a workspace has a limit of its own, which a run that does not stop meets, too.
      await Promise.all([workspaces.close(), ended]);
    },
  };
}

async function choose(session: Session, id: (typeof optionIds)[number], value: string): Promise<void> {
  if (id !== "mode") return session.setOption(id, value);
  if (!isMode(value)) throw RequestError.invalidParams({ mode: value });
  await session.setMode(value);
}
