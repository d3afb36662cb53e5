import * as z from "zod";
import type { Duet } from "../../app/duet.ts";
import {
  chooseForTool,
  findPermission,
  listRuledTools,
  type ToolLists,
  toolChoices,
} from "../../app/tools/tool-permissions.ts";
import type { Config } from "../../config/config.ts";
import { editSettings, loadNextConfig } from "../../config/edit-settings.ts";
import type { operatorToolsSchema } from "../../core/schemas/operator-schema.ts";
import { showValue } from "../../core/tools/argument-feedback.ts";
import type { Tool } from "../../core/tools/tool.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { truncate } from "../../kit/text/truncate.ts";
import { toJsonResponse } from "../api/json-response.ts";
import { readFields } from "../api/read-fields.ts";
import { createLeaveSignal } from "../http/connection.ts";
import { readJsonBody } from "../http/request/read-body.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { Route } from "../http/routes.ts";
import { type ConfigEditor, longestChange } from "./settings-editor.ts";

/** Limits how long servers that start are waited for, in milliseconds. */
const serverWaitMs = 2_000;

/** Limits a description, in characters. The whole one stands where tools are approved. */
const longestDescription = 300;

/** Describes the body of `PATCH /operator/tools`. */
export const toolChangeBody = z.strictObject({ name: z.string(), permission: z.enum(toolChoices) });

/**
 * Serves the tools with what the rules decide about each, and changes that for a single one: by its name in `tools.allow`, `ask` or
 * `deny` of the file.
 */
export function createToolsRoute(duet: Pick<Duet, "inventory">, config: Config, editor: ConfigEditor): Route {
  const list = async (): Promise<Tool[]> => listRuledTools(await duet.inventory(undefined, serverWaitMs));

  async function show(): Promise<Response> {
    const tools = await list();
    const next = (await ignoreRejection(loadNextConfig(config), "a change says what is wrong with the file")) ?? config;
    return toJsonResponse({
      tools: tools.map((tool) => {
        const { choice, rule = null, isForSomeCalls } = findPermission(tool, next.tools);
        return {
          ...{ name: tool.name, source: tool.source, description: truncate(tool.description, longestDescription) },
          ...{
            permission: findPermission(tool, config.tools).choice,
            next: choice,
            rule,
            for_some_calls: isForSomeCalls,
          },
        };
      }),
    } satisfies z.infer<typeof operatorToolsSchema>);
  }

  return {
    GET: show,
    async PATCH(call) {
      const { name, permission } = readFields(toolChangeBody, await readJsonBody(call, longestChange));
      const tool = (await list()).find((each) => each.name === name);
      if (tool === undefined) throw unknownToolError(name);
      const what = {
        zh: `管理员把工具 ${name} 设为 ${permission}`,
        en: `the operator set the tool ${name} to ${permission}`,
      };
      await editor.change(what, createLeaveSignal(call.connection), async () => {
        const { tools } = await loadNextConfig(config);
        const chosen = chooseForTool(tool, permission, tools);
        const changed = (["allow", "ask", "deny"] as const).filter((key) => !isSameList(chosen[key], tools[key]));
        const set = Object.fromEntries(changed.map((key) => [`tools.${key}`, chosen[key]]));
        await editSettings(config, { set, unset: [] });
      });
      return show();
    },
  };
}

function isSameList(one: ToolLists[keyof ToolLists], other: ToolLists[keyof ToolLists]): boolean {
  return one.length === other.length && one.every((pattern, index) => pattern === other[index]);
}

function unknownToolError(name: string): HttpRefusalError {
  const shown = showValue(name);
  return new HttpRefusalError({
    status: 404,
    text: {
      zh: `没有名为 ${shown} 的工具（允许：GET /operator/tools 中的名称）`,
      en: `there is no tool ${shown} (allowed: a name of GET /operator/tools)`,
    },
  });
}
