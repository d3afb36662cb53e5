// What the conformance suite knows as "the client": our connector, told by the scenario what to ask for.
import * as sdk from "@modelcontextprotocol/client";
import { openSession, type Session } from "../../src/client/lifecycle/session.ts";
import { type Auth, createAuth } from "../../src/client/oauth/auth.ts";
import { createCredentialStore } from "../../src/client/oauth/credential-store.ts";
import { signInToServer } from "../../src/client/oauth/login.ts";
import { createAnswers } from "../../src/client/questions/answers.ts";
import { createServerRedact } from "../../src/client/redact.ts";
import type { AuthSettings, ServerSettings } from "../../src/config/config.ts";
import type { Sample } from "../../src/core/model/sampling.ts";
import { DuetError } from "../../src/kit/errors.ts";
import { isRecord, toText } from "../../src/kit/json.ts";
import { follow, offered, wantedCalls } from "./client-steps.ts";

/** What the suite tells the client that it starts. */
export interface Task {
  scenario: string;
  context: unknown;
  url: string;
}

/** Of each attempt, the product's own limit of sign-ins comes on top. */
const mostSignIns = 3;
const clientInfo = { name: "duet", version: "0.0.0" };

/** Plays one scenario as a client that knows nothing of any other. */
export async function drive(task: Task): Promise<void> {
  const signal = AbortSignal.timeout(50_000);
  const settings: ServerSettings = {
    name: "conformance",
    transport: { type: "http", url: task.url, headers: {} },
    timeoutMs: 15_000,
    startTimeoutMs: 15_000,
    start: "eager",
    sampling: true,
    roots: [process.cwd()],
    auth: authSettings(task),
  };
  const store = createCredentialStore(undefined);
  const auth = createAuth(settings, store);
  for (let signIns = 0; ; signIns += 1) {
    try {
      const session = await open(settings, auth, signal);
      await visit(session, task, signal).finally(() => session.close());
      return;
    } catch (thrown) {
      if (!(thrown instanceof DuetError) || thrown.code !== "auth" || signIns === mostSignIns) throw thrown;
      await signInToServer(settings, { store, clientInfo, signal, locale: "en", visit: follow, misread: () => {} });
    }
  }
}

function authSettings({ scenario, context }: Task): AuthSettings {
  const { client_id: clientId, client_secret: clientSecret } = isRecord(context) ? context : {};
  const registered = typeof clientId === "string" ? { clientId, clientSecret: toText(clientSecret) } : {};
  return {
    type: "oauth",
    ...registered,
    ...(scenario === "auth/basic-cimd" && {
      clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
    }),
  };
}

async function open(settings: ServerSettings, auth: Auth | undefined, signal: AbortSignal): Promise<Session> {
  const nothing = (): void => {};
  const sample: Sample = async () => ({ text: "", model: "none", finish: "stop", tokens: 0, costUsd: 0 });
  const redact = createServerRedact(settings);
  const answers = createAnswers({ settings, sample, redact });
  const options = { sdk, settings, clientInfo, redact, answers, canSample: true, era: "legacy", auth, signal } as const;
  return openSession({ ...options, onLost: nothing, onChanged: nothing }, undefined);
}

/** Does what the scenario is about. */
async function visit(session: Session, { scenario, context }: Task, signal: AbortSignal): Promise<void> {
  const { tools } = await session.list(signal);
  const call = { signal, onProgress: () => {}, pause: () => () => {}, elicit: offered };
  for (const { name, args } of wantedCalls(context, tools)) {
    const tool = tools.find((each) => each.name === name);
    if (tool) await session.call(tool, args, call);
  }
  if (scenario !== "http-standard-headers") return;
  await session.request("resources/list", {}, call);
  await session.request("resources/read", { uri: "file:///path/to/file%20name.txt" }, call);
  await session.request("prompts/list", {}, call);
  await session.request("prompts/get", { name: "test_prompt" }, call);
}
