import { createHash } from "node:crypto";
import * as z from "zod";
import type { Duet } from "../../app/duet.ts";
import { type NamedChange, readChange } from "../../app/tools/tool-changes.ts";
import type { operatorApprovalsSchema } from "../../core/schemas/operator-schema.ts";
import { createWaitLimit } from "../../kit/async/timeout.ts";
import { toJsonResponse } from "../api/json-response.ts";
import { readFields } from "../api/read-fields.ts";
import { createLeaveSignal } from "../http/connection.ts";
import { readJsonBody } from "../http/request/read-body.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { Route } from "../http/routes.ts";
import { type ConfigEditor, longestChange } from "./settings-editor.ts";

/** Limits how long servers that start are waited for, in milliseconds. */
const serverWaitMs = 2_000;

/** Describes the body of `POST /operator/approvals`. */
export const approvalsBody = z.strictObject({
  ids: z.array(z.string()).min(1).max(500).describe("Those of GET /operator/approvals that are approved."),
});

interface ShownChange {
  id: string;
  change: NamedChange;
}

/**
 * Serves the tools that wait for approval, and takes approvals. An id is a digest of what was shown: what has changed meanwhile has
 * another one, so that it is not approved.
 */
export function createApprovalsRoute(duet: Pick<Duet, "locale" | "servers">, editor: ConfigEditor): Route {
  async function list(): Promise<ShownChange[]> {
    const limit = createWaitLimit(serverWaitMs);
    try {
      const changes = [
        ...(await duet.servers.listWaitingTools(limit.signal)),
        ...(await duet.servers.listTrustedTools(limit.signal)),
      ];
      return changes.map((change) => ({ id: createChangeId(change), change }));
    } catch (thrown) {
      if (limit.expired) throw stillStartingError();
      throw thrown;
    } finally {
      limit.clear();
    }
  }

  async function show(): Promise<Response> {
    const approvals = (await list()).map(({ id, change }) => {
      const { server, name, kind, list: of = null, lines } = readChange(change, duet.locale);
      return { id, server, name, kind, list: of, lines: lines.map(splitSign) };
    });
    return toJsonResponse({ approvals } satisfies z.infer<typeof operatorApprovalsSchema>);
  }

  return {
    GET: show,
    async POST(call) {
      const { ids } = readFields(approvalsBody, await readJsonBody(call, longestChange));
      const wanted = (await list()).filter(({ id }) => ids.includes(id));
      if (wanted.length < new Set(ids).size) throw changedMeanwhileError();
      const changes = wanted.map(({ change }) => change);
      const names = changes.map(({ name }) => name).join(", ");
      const what = { zh: `管理员批准了工具：${names}`, en: `the operator approved tools: ${names}` };
      await editor.change(what, createLeaveSignal(call.connection), async () => {
        if ((await duet.servers.approveTools(changes)).length < changes.length) throw changedMeanwhileError();
      });
      return show();
    },
  };
}

function createChangeId({ server, name, change }: NamedChange): string {
  return createHash("sha256")
    .update(JSON.stringify([server, name, change.kind, change.list, change.tool, change.pinned]))
    .digest("hex")
    .slice(0, 32);
}

function splitSign(line: string): { sign: "+" | "-" | " "; text: string } {
  const [sign = " "] = line;
  return { sign: sign === "+" || sign === "-" ? sign : " ", text: line.slice(2) };
}

function changedMeanwhileError(): HttpRefusalError {
  return new HttpRefusalError({
    status: 409,
    text: {
      zh: "显示之后又有变化，没有批准；请重新查看",
      en: "it has changed since it was shown and was not approved; look at it again",
    },
  });
}

function stillStartingError(): HttpRefusalError {
  return new HttpRefusalError({
    status: 409,
    text: { zh: "服务器仍在启动，请稍后再看", en: "servers are still starting; look again in a moment" },
  });
}
