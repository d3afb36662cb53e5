import { addressKinds, classifyAddress } from "../../kit/net/address-kind.ts";
import type { Reach } from "../../kit/net/check-address.ts";
import { refusedError } from "../../kit/net/request-errors.ts";
import type { ReachList } from "./reach-list.ts";

/** What the configuration's `web` lets tools dial: what `reach` names, and public hosts at `ports`. */
export function createWebRules(reach: ReachList, ports: ReadonlySet<number>): Reach {
  return {
    permits: (host, address, port) =>
      reach.permits(host, address, port) || (classifyAddress(address) === "public" && ports.has(port)),
    refusal,
  };
}

/** Says which setting would allow the first address. */
const refusal: Reach["refusal"] = ({ host, port, shown }, address, kind) => {
  if (kind === "public") {
    return refusedError(shown, {
      zh: `端口 ${port} 不在 web.ports 中；如需访问，把端口加入 web.ports，或把 "${shown}" 加入 web.reach`,
      en: `port ${port} is not among web.ports; add it there, or "${shown}" to web.reach, to allow this`,
    });
  }
  const { zh, en } = addressKinds[kind];
  const entry = kind === "proxy" ? "198.18.0.0/15" : shown;
  const isLiteral = host === address;
  return refusedError(shown, {
    zh: `${isLiteral ? "这" : `它解析到 ${address}，`}是${zh}；如需访问，把 "${entry}" 加入 web.reach`,
    en: `it ${isLiteral ? "is" : `resolves to ${address},`} ${en}; add "${entry}" to web.reach to allow this`,
  });
};
