import { toText } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { truncate } from "../../kit/text/truncate.ts";
import type { Kind, ListedEntry } from "./kinds.ts";

export interface Found {
  server: string;
  entry: ListedEntry;
}

/** Keeps the first entry under each URI, by that URI. Tells of two servers that have the same one, once for these two. */
export function createCollisions(tell: (line: Text) => void) {
  const told = new Set<string>();
  return (kind: Kind, all: readonly Found[]): ReadonlyMap<string, Found> => {
    const first = new Map<string, Found>();
    for (const found of all) {
      const uri = toText(found.entry[kind.key]);
      const before = first.get(uri);
      if (before === undefined) {
        first.set(uri, found);
        continue;
      }
      const pair = JSON.stringify([before.server, found.server]);
      if (told.has(pair)) continue;
      told.add(pair);
      tell(collision(truncate(uri, 200), before.server, found.server));
    }
    return first;
  };
}

function collision(uri: string, first: string, second: string): Text {
  const shown = JSON.stringify(uri);
  return {
    zh: `MCP 服务器 ${first} 和 ${second} 都提供 ${shown}：由配置中靠前的 ${first} 应答（同样的冲突不再提示）。`,
    en: `The MCP servers ${first} and ${second} both offer ${shown}: ${first} answers, as it comes first in the configuration (told once for these two).`,
  };
}
