import type { OperatorServers } from "../../api/operator.ts";
import { operatorTexts } from "../../state/operator-texts.ts";
import { useSay } from "../page-model.ts";
import { DataTable } from "./data-table.tsx";

/** Shows the MCP servers with their states. */
export function ServerList({ servers }: OperatorServers) {
  const say = useSay();
  return (
    <DataTable
      label={say(operatorTexts.servers)}
      columns={["server", "status", "tools", "message"]}
      rows={servers.map(({ name, transport, state, tools, error, problems, warnings }) => [
        `${name} (${transport})`,
        state,
        tools,
        [error, ...problems, ...warnings].filter(Boolean).join(" · "),
      ])}
    />
  );
}
