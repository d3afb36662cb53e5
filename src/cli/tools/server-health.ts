import type { Inventory } from "../../app/tools/tool-inventory.ts";
import type { Text } from "../../kit/locale.ts";

type Server = Inventory["servers"][number];

/** Describes a server beyond its state: restarts, the next attempt, waiting tools, warnings. */
export function describeHealth({ name, restarts, retryInMs, waiting, warnings }: Server): Text[] {
  const seconds = Math.ceil((retryInMs ?? 0) / 1000);
  return [
    ...(restarts > 0 ? [describeRestarts(restarts)] : []),
    ...(seconds > 0 ? [{ zh: `${seconds} 秒后可再试`, en: `it can be tried again in ${seconds} s` }] : []),
    ...(waiting > 0 ? [describeUnapproved(name, waiting)] : []),
    ...warnings,
  ];
}

function describeRestarts(count: number): Text {
  return {
    zh: `已重新启动 ${count} 次`,
    en: count === 1 ? "was restarted once" : `was restarted ${count} times`,
  };
}

function describeUnapproved(name: string, count: number): Text {
  return {
    zh: `${count} 个工具是新的或有变化，等待批准：duet tools approve ${name}`,
    en: `${count === 1 ? "1 tool is" : `${count} tools are`} new or changed and must be approved first: duet tools approve ${name}`,
  };
}
