import { Readable, Writable } from "node:stream";
import {
  type AgentConnection,
  type AgentContext,
  agent,
  type ClientCapabilities,
  type McpServer,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type SessionInfo,
} from "@agentclientprotocol/sdk";
import type { Mode } from "../../core/outcome.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { toDuetError } from "../../kit/errors.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { version } from "../../kit/version.ts";
import { claimStdout } from "../mcp/serve-stdio.ts";
import { readPrompt } from "./read-prompt.ts";
import { createSession, type Session, type Workspace } from "./session.ts";
import { isMode, isOptionId, optionIds } from "./session-options.ts";

export interface AcpServerOptions {
  /** Opens the agent for a folder. Throws a `DuetError` where that cannot be. */
  openWorkspace(place: WorkspacePlace): Promise<OpenedWorkspace>;
  stdin: NodeJS.ReadableStream;
  /** Belongs to the protocol from now on; what others write to it goes to `stderr`. */
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  locale: Locale;
  /** Is the mode of a session that has not chosen one. */
  mode: Mode | undefined;
  signal: AbortSignal;
}

/** Says where an editor works, and which servers it hands over. */
export interface WorkspacePlace {
  directory: string;
  servers: readonly McpServer[];
}

export interface OpenedWorkspace extends Workspace {
  close(): Promise<void>;
}

/** Lists at most this many conversations in an answer. */
const pageSize = 50;

/** Serves editors over ACP on stdio until the editor leaves or the signal aborts. What is running then is cancelled. */
export async function serveOverAcp(options: AcpServerOptions): Promise<void> {
  const { stdin, stdout, stderr, signal } = options;
  const out = claimStdout(stdout, stderr);
  const served = createEditorSessions(options);
  const stream = ndJsonStream(
    Writable.toWeb(out.stream),
    Readable.toWeb(new Readable().wrap(stdin)) as ReadableStream<Uint8Array>,
  );
  const connection = served.connect(stream);
  const stop = (): void => connection.close();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  await connection.closed;
  signal.removeEventListener("abort", stop);
  await served.close();
  await out.release();
}

/** Holds the sessions of one editor, and the agents that are open for their folders. */
function createEditorSessions({ openWorkspace, locale, mode: firstMode }: AcpServerOptions) {
  const sessions = new Map<string, Session>();
  const workspaces = new Map<string, Promise<OpenedWorkspace>>();
  let capabilities: ClientCapabilities = {};

  /** Sessions of one folder with the same servers share an agent. One that could not be opened is tried again. */
  function findWorkspace(place: WorkspacePlace): Promise<OpenedWorkspace> {
    const key = JSON.stringify(place);
    const known = workspaces.get(key);
    if (known) return known;
    const opening = openWorkspace(place);
    workspaces.set(key, opening);
    opening.catch(() => workspaces.delete(key));
    return opening;
  }

  function find(id: string): Session {
    const session = sessions.get(id);
    if (session === undefined) throw RequestError.sessionNotFound(id);
    return session;
  }

  function open(id: string, workspace: OpenedWorkspace, client: AgentContext): Session {
    sessions.get(id)?.close();
    const mode = firstMode ?? workspace.config.agent.terminalMode;
    const session = createSession({ id, workspace, client, capabilities, mode });
    sessions.set(id, session);
    return session;
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
    const workspace = await findWorkspace({ directory: cwd, servers: mcpServers });
    const known = await (await workspace.duet.store()).load(sessionId);
    if (known === undefined) throw RequestError.sessionNotFound(sessionId);
    return open(sessionId, workspace, client);
  }

  async function list(cwd: string | undefined, cursor: string | undefined) {
    const place = { directory: cwd ?? process.cwd(), servers: [] };
    const [known] = workspaces.values();
    const { duet } = await (known ?? findWorkspace(place));
    const offset = Number(cursor ?? 0);
    if (!Number.isSafeInteger(offset) || offset < 0) throw RequestError.invalidParams({ cursor });
    const found = await (await duet.store()).list({ limit: pageSize + 1, offset, folder: cwd });
    const listed = found.slice(0, pageSize).map(
      ({ id, title, folder, updatedAt }): SessionInfo => ({
        sessionId: id,
        cwd: folder ?? place.directory,
        title,
        updatedAt,
      }),
    );
    return { sessions: listed, ...(found.length > pageSize && { nextCursor: String(offset + pageSize) }) };
  }

  /** Puts what went wrong into words that an editor shows. */
  async function attempt<T>(work: () => Promise<T>): Promise<T> {
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
      attempt(async () => {
        const workspace = await findWorkspace({ directory: cwd, servers: mcpServers });
        const { id } = await (await workspace.duet.store()).create();
        return { sessionId: id, ...(await describe(open(id, workspace, client))) };
      }),
    )
    .onRequest(methods.agent.session.load, ({ params, client }) =>
      attempt(async () => {
        const session = await openKnown(params, client);
        await session.replay();
        return describe(session);
      }),
    )
    .onRequest(methods.agent.session.resume, ({ params, client }) =>
      attempt(async () => describe(await openKnown(params, client))),
    )
    .onRequest(methods.agent.session.list, ({ params: { cwd, cursor } }) =>
      attempt(() => list(cwd ?? undefined, cursor ?? undefined)),
    )
    .onRequest(methods.agent.session.close, ({ params: { sessionId } }) => {
      find(sessionId).close();
      sessions.delete(sessionId);
      return {};
    })
    .onRequest(methods.agent.session.delete, ({ params: { sessionId } }) =>
      attempt(async () => {
        const session = find(sessionId);
        session.close();
        await (await session.workspace.duet.store()).remove(sessionId);
        sessions.delete(sessionId);
        return {};
      }),
    )
    .onRequest(methods.agent.session.setMode, async ({ params: { sessionId, modeId } }) => {
      if (!isMode(modeId)) throw RequestError.invalidParams({ modeId });
      await find(sessionId).setMode(modeId);
      return {};
    })
    .onRequest(methods.agent.session.setConfigOption, ({ params }) =>
      attempt(async () => {
        const { sessionId, configId, value } = params;
        const session = find(sessionId);
        if (!isOptionId(configId) || typeof value !== "string")
          throw RequestError.invalidParams({ configId, allowed: optionIds });
        await choose(session, configId, value);
        return { configOptions: (await session.describe()).configOptions };
      }),
    )
    .onRequest(methods.agent.session.prompt, ({ params: { sessionId, prompt } }) =>
      attempt(() => find(sessionId).prompt(readPrompt(prompt))),
    )
    .onNotification(methods.agent.session.cancel, ({ params: { sessionId } }) => sessions.get(sessionId)?.cancel());

  return {
    connect: (stream: ReturnType<typeof ndJsonStream>): AgentConnection => app.connect(stream),
    async close() {
      for (const session of sessions.values()) session.close();
      const opened = await Promise.allSettled(workspaces.values());
      await Promise.all(opened.map((each) => (each.status === "fulfilled" ? each.value.close() : undefined)));
    },
  };
}

async function choose(session: Session, id: (typeof optionIds)[number], value: string): Promise<void> {
  if (id !== "mode") return session.setOption(id, value);
  if (!isMode(value)) throw RequestError.invalidParams({ mode: value });
  await session.setMode(value);
}
