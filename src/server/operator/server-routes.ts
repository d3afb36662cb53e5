import * as z from "zod";
import type { Duet } from "../../app/duet.ts";
import { forgetSignIn, listSignIns } from "../../app/sign-in.ts";
import type { Config } from "../../config/config.ts";
import type { operatorLogSchema, operatorServersSchema } from "../../core/schemas/operator-schema.ts";
import { showValue } from "../../core/tools/argument-feedback.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createWaitLimit, waitAbortable } from "../../kit/async/timeout.ts";
import { say } from "../../kit/locale.ts";
import { toJsonResponse } from "../api/json-response.ts";
import { readFields } from "../api/read-fields.ts";
import { createLeaveSignal } from "../http/connection.ts";
import { readJsonBody } from "../http/request/read-body.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { Route, RouteCall } from "../http/routes.ts";
import { createServerSignIns } from "./server-sign-ins.ts";
import { type ConfigEditor, longestChange } from "./settings-editor.ts";

/** Limits how long the states of servers are waited for, in milliseconds: one that hangs must not hide the others. */
const serverWaitMs = 2_000;

/** Describes the body of `POST /operator/servers/{name}/sign-in`. */
export const signInBody = z.strictObject({
  ended_at: z
    .string()
    .optional()
    .describe("The address at which the browser stopped, where it runs on another machine than the server."),
});

export interface ServerRouteParts {
  duet: Pick<Duet, "locale" | "inventory" | "servers">;
  config: Config;
  editor: ConfigEditor;
  /** Ends what waits for people. */
  closing: AbortSignal;
}

/** Serves the MCP servers to the operator: their states and logs, new starts, and sign-ins. */
export function createServerRoutes({
  duet,
  config,
  editor,
  closing,
}: ServerRouteParts): Readonly<Record<string, Route>> {
  const signIns = createServerSignIns(config, { signal: closing, onDone: (name) => duet.servers.restart(name) });

  async function listServers(): Promise<Response> {
    const limit = createWaitLimit(serverWaitMs);
    const listStarting = async () => (await duet.inventory(undefined, 0)).servers;
    const servers = await duet.servers.waitForStatus(limit.signal).catch(listStarting);
    limit.clear();
    const accounts = await listSignIns(config);
    const { locale } = duet;
    return toJsonResponse({
      servers: servers.map(({ name, transport, state, toolCount, waiting, problems, warnings, error }) => {
        const { isPossible = false, isSignedIn = false } = accounts.get(name) ?? {};
        const begun = signIns.find(name);
        return {
          ...{ name, transport, state, tools: toolCount, waiting_tools: waiting },
          error: error && say(locale, error.text),
          problems: problems.map((text) => say(locale, text)),
          warnings: warnings.map((text) => say(locale, text)),
          sign_in: {
            possible: isPossible,
            signed_in: isSignedIn,
            state: begun?.state ?? null,
            address: begun?.state === "waiting" ? begun.address : null,
            message: begun === undefined || begun.state === "waiting" ? null : say(locale, begun.text),
          },
        };
      }),
    } satisfies z.infer<typeof operatorServersSchema>);
  }

  async function showLog(name: string): Promise<Response> {
    const log = await duet.servers.findLog(name);
    if (log === undefined) throw unknownServerError(name);
    return toJsonResponse({
      lines: log.lines.map(({ at, ...line }) => ({ at: new Date(at).toISOString(), ...line })),
      stderr: log.stderr.split("\n").filter((line) => line.trim() !== ""),
    } satisfies z.infer<typeof operatorLogSchema>);
  }

  async function restart(name: string, left: AbortSignal): Promise<Response> {
    const what = { zh: `管理员重新连接了服务器 ${name}`, en: `the operator reconnected the server ${name}` };
    await editor.change(what, left, async () => {
      if ((await duet.servers.findLog(name)) === undefined) throw unknownServerError(name);
      const limit = createWaitLimit(serverWaitMs);
      const started = waitAbortable(duet.servers.restart(name), limit.signal);
      await ignoreRejection(started, "the list of servers says that it is still starting");
      limit.clear();
    });
    return listServers();
  }

  return {
    "/operator/servers": { GET: listServers },
    "/operator/servers/:name/log": { GET: ({ params: { name = "" } }) => showLog(name) },
    "/operator/servers/:name/restart": {
      POST: Object.assign(
        ({ params: { name = "" }, connection }: RouteCall) => restart(name, createLeaveSignal(connection)),
        { readsNoBody: true as const },
      ),
    },
    "/operator/servers/:name/sign-in": {
      async POST(call) {
        const { name = "" } = call.params;
        const { ended_at: address } = readFields(signInBody, await readJsonBody(call, longestChange));
        if ((await duet.servers.findLog(name)) === undefined) throw unknownServerError(name);
        if (address === undefined) await signIns.begin(name);
        else if (!signIns.paste(name, address)) throw noSignInError(name);
        return listServers();
      },
      async DELETE({ params: { name = "" }, connection }) {
        const what = { zh: `管理员删除了 ${name} 的登录信息`, en: `the operator deleted the sign-in to ${name}` };
        await editor.change(what, createLeaveSignal(connection), () => forgetSignIn(config, name));
        signIns.forget(name);
        return restart(name, createLeaveSignal(connection));
      },
    },
  };
}

function unknownServerError(name: string): HttpRefusalError {
  const shown = showValue(name);
  return new HttpRefusalError({
    status: 404,
    text: {
      zh: `没有名为 ${shown} 的服务器（允许：GET /operator/servers 中的名称）`,
      en: `there is no server ${shown} (allowed: a name of GET /operator/servers)`,
    },
  });
}

function noSignInError(name: string): HttpRefusalError {
  const shown = showValue(name);
  return new HttpRefusalError({
    status: 409,
    text: { zh: `服务器 ${shown} 没有正在进行的登录`, en: `no sign-in to the server ${shown} waits` },
  });
}
