import { DuetError } from "../../kit/errors.ts";
import { type Host, type HostName, hostNames, hosts } from "./hosts.ts";

/** Returns how Duet is registered with a host as its agent. Throws a `config` error for a host that starts no agents. */
export function findAgentHost(name: HostName): Host {
  const { agent, projectFile: _, timeout: _timeout, ...host } = hosts[name];
  if (agent) return { ...host, ...agent };
  const able = hostNames.filter((each) => hosts[each].agent !== undefined).join(", ");
  throw new DuetError({
    code: "config",
    text: {
      zh: `--agent：${host.title} 不启动智能体（允许：${able}）`,
      en: `--agent: ${host.title} starts no agents (allowed: ${able})`,
    },
  });
}
