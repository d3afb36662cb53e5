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
import type { Mode } from "../../core/run/outcome.ts";
import type { ConversationStore } from "../../core/store/store.ts";
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

/** Says of which conversation a session is opened, and what is answered with it. */
interface SessionOpening<T> {
  find(store: ConversationStore): Promise<string>;
  answer(session: Session, id: string): Promise<T>;
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

  /** Opens a session of the conversation that is found, in place of one that is open. Where it cannot be answered, none stays open. */
  async function open<T>(place: WorkspacePlace, client: AgentContext, { find, answer }: SessionOpening<T>): Promise<T> {
    const held = await hold(place);
    let sessionId: string | undefined;
    try {
      const { workspace } = held;
      sessionId = await find(await workspace.duet.store());
      const mode = firstMode ?? workspace.config.agent.mode ?? "agent";
      const session = createSession({ id: sessionId, workspace, client, capabilities, mode });
      const before = sessions.get(sessionId);
      // Of two requests at once, the later one has it.
      sessions.set(sessionId, { session, held });
      await end(before);
      return await answer(session, sessionId);
    } catch (thrown) {
      if (sessionId !== undefined && sessions.get(sessionId)?.held === held) await close(sessionId);
      await held.release();
      throw thrown;
    }
  }

  async function close(id: string): Promise<void> {
    const open = sessions.get(id);
    sessions.delete(id);
    await end(open);
  }

  async function end(open: OpenSession | undefined): Promise<void> {
    await open?.session.close();
    await open?.held.release();
  }

  /** Describes a session for the answer to its request. Editors take no update of a new one before that answer. */
  async function describe(session: Session) {
    const described = await session.describe();
    setTimeout(() => void ignoreRejection(session.announceCommands(), "an editor that has left hears of nothing"), 0);
    return described;
  }

  async function openKnown<T>(
    { sessionId, cwd, mcpServers = [] }: { sessionId: string; cwd: string; mcpServers?: McpServer[] },
    client: AgentContext,
    answer: SessionOpening<T>["answer"],
  ): Promise<T> {
    async function findKnown(store: ConversationStore): Promise<string> {
      if ((await store.load(sessionId)) === undefined) throw RequestError.sessionNotFound(sessionId);
      return sessionId;
    }
    return open({ directory: cwd, servers: mcpServers }, client, { find: findKnown, answer });
  }

  /** Removes a conversation; one that is not there needs no removal. */
  async function remove(id: string): Promise<void> {
    const open = sessions.get(id);
    const { workspace, release } = await workspaces.find(open?.held.workspace.directory);
    try {
      // A run that is cancelled is kept, too.
      await open?.session.close();
      await (await workspace.duet.store()).remove(id);
      await close(id);
    } finally {
      await release();
    }
  }

  async function list(cwd: string | undefined, cursor: string | undefined) {
    const offset = Number(cursor ?? 0);
    if (!Number.isSafeInteger(offset) || offset < 0) throw RequestError.invalidParams({ cursor });
    const { workspace, release } = await workspaces.find(cwd);
    const { duet, directory } = workspace;
    const listing = duet.store().then((store) => store.list({ limit: pageSize + 1, offset, folder: cwd }));
    const found = await listing.finally(release);
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
      tryAnswer(() =>
        open({ directory: cwd, servers: mcpServers }, client, {
          find: async (store) => (await store.create()).id,
          answer: async (session, sessionId) => ({ sessionId, ...(await describe(session)) }),
        }),
      ),
    )
    .onRequest(methods.agent.session.load, ({ params, client }) =>
      tryAnswer(() =>
        openKnown(params, client, async (session) => {
          await session.replay();
          return describe(session);
        }),
      ),
    )
    .onRequest(methods.agent.session.resume, ({ params, client }) =>
      tryAnswer(() => openKnown(params, client, describe)),
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
