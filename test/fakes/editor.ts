// An editor that talks to Duet as its agent, by the protocol's own client.
import {
  type ClientCapabilities,
  type ClientContext,
  client,
  type McpServer,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type SessionUpdate,
  type Stream,
} from "@agentclientprotocol/sdk";
import { onTestFinished } from "vitest";
import { openDuet } from "../../src/app/open-duet.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import type { Tool } from "../../src/core/tools/tool.ts";
import { createEditorAgent } from "../../src/server/acp/editor-agent.ts";
import { toWorkspaceConfig } from "../../src/server/acp/editor-servers.ts";
import type { OpenedWorkspace } from "../../src/server/acp/open-workspaces.ts";
import { type ScriptedModel, type ScriptedTurn, scriptedModel } from "./model.ts";
import { configFile, temporaryFolder } from "./program.ts";

type Kind = SessionUpdate["sessionUpdate"];
type Update<K extends Kind> = Extract<SessionUpdate, { sessionUpdate: K }>;

export interface Editor {
  agent: ClientContext;
  /** All updates so far, of all sessions. */
  updates: SessionNotification[];
  /** The questions about permission so far. */
  asked: RequestPermissionRequest[];
  /** Resolves with the first update of the kind that fits, of those so far or to come. */
  sees<K extends Kind>(kind: K, fits?: (update: Update<K>) => boolean): Promise<Update<K>>;
  /** The updates of one kind, in order. */
  all<K extends Kind>(kind: K): Update<K>[];
  /** The text of all chunks of one kind. */
  text(kind: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk"): string;
  /** A new session in the folder. */
  start(folder: string, mcpServers?: McpServer[]): Promise<string>;
  ask(sessionId: string, text: string): Promise<{ stopReason: string }>;
}

/** What a person at the editor does when a permission is asked for. */
export type Permit = (
  request: RequestPermissionRequest,
) => RequestPermissionResponse | Promise<RequestPermissionResponse>;

export const choose = (optionId: string): RequestPermissionResponse => ({ outcome: { outcome: "selected", optionId } });
export const dismiss: RequestPermissionResponse = { outcome: { outcome: "cancelled" } };

/** Connects and says hello. */
export async function connectEditor(
  stream: Stream,
  permit: Permit = () => dismiss,
  clientCapabilities: ClientCapabilities = {},
): Promise<Editor> {
  const updates: SessionNotification[] = [];
  const asked: RequestPermissionRequest[] = [];
  const watching = new Set<() => void>();
  const connection = client({ name: "editor" })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push(params);
      for (const look of watching) look();
    })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params);
      return permit(params);
    })
    .connect(stream);
  const { agent } = connection;
  onTestFinished(() => connection.close());
  await agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities });

  function all<K extends Kind>(kind: K): Update<K>[] {
    return updates.map(({ update }) => update).filter((update): update is Update<K> => update.sessionUpdate === kind);
  }

  return {
    ...{ agent, updates, asked, all },
    sees: (kind, fits = () => true) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = all(kind).find(fits);
          if (found === undefined) return;
          watching.delete(look);
          resolve(found);
        };
        watching.add(look);
        look();
      }),
    text: (kind) =>
      all(kind)
        .map(({ content }) => (content.type === "text" ? content.text : ""))
        .join(""),
    start: async (cwd, mcpServers = []) =>
      (await agent.request(methods.agent.session.new, { cwd, mcpServers })).sessionId,
    ask: (sessionId, text) =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] }),
  };
}

export interface EditorScene {
  editor: Editor;
  model: ScriptedModel;
  /** Where the sessions work. */
  folder: string;
  home: string;
}

interface SceneOptions {
  turns?: ScriptedTurn[];
  tools?: readonly Tool[];
  settings?: Record<string, unknown>;
  permit?: Permit;
  /** May put another workspace in the place of one that is opened. */
  change?: (opened: OpenedWorkspace) => OpenedWorkspace;
}

/** An editor and its agent in this process, with a scripted model and conversations on the disk. */
export async function openEditor({
  turns = [],
  tools = [],
  settings = {},
  permit,
  change = (opened) => opened,
}: SceneOptions): Promise<EditorScene> {
  const [home, folder] = [await temporaryFolder(), await temporaryFolder()];
  const model = scriptedModel(turns);
  const file = await configFile({ locale: "en", search: { enabled: false }, ...settings });
  const environment = { HOME: home, DUET_HOME: home, OLLAMA_BASE_URL: "http://127.0.0.1:9/v1" };
  const served = createEditorAgent({
    locale: "en",
    mode: undefined,
    async openWorkspace(place) {
      const config = toWorkspaceConfig(await loadConfig({ config: file }, environment, place.directory), place);
      const duet = await openDuet(config, { models: { functionCall: model, answer: model }, tools });
      return change({ duet, config, directory: place.directory, close: () => duet.close() });
    },
  });
  onTestFinished(() => served.close());
  const [there, back] = [new TransformStream<Uint8Array>(), new TransformStream<Uint8Array>()];
  served.connect(ndJsonStream(back.writable, there.readable));
  const editor = await connectEditor(ndJsonStream(there.writable, back.readable), permit);
  return { editor, model, folder, home };
}
