import { isIP } from "node:net";
import * as z from "zod";
import type { Text } from "../../kit/locale.ts";
import { withAllowed } from "./schema-parts.ts";

export const reachableForms: Text = {
  zh: "主机、地址或网段，可带端口，例如 localhost:8080、10.0.0.0/8",
  en: "a host, an address or a range, with a port or without, such as localhost:8080, 10.0.0.0/8",
};

/** Accepts a host, a host pattern (`*.suffix`, `*`), an address or an address range, each with `:port`, `:*` or neither. */
function isReachable(entry: string): boolean {
  const [, what = "", port = "*"] = /^(\[.*\]|.*\/\d{1,3}|[^:]*|.*:.*:.*?)(?::(\d{1,5}|\*))?$/.exec(entry) ?? [];
  if (port !== "*" && Number(port) > 65_535) return false;
  const [base = "", bits] = what.replace(/^\[([0-9a-f:.]+)\]$/i, "$1").split("/");
  const family = isIP(base);
  if (family === 0) return bits === undefined && /^(\*|(\*\.)?[\w-]+(\.[\w-]+)*\.?)$/.test(base);
  return !base.includes("%") && Number(bits ?? 0) <= (family === 4 ? 32 : 128);
}

const reachable = z.string().refine(isReachable, withAllowed(reachableForms));

const hostPattern = z.string().refine(
  (pattern) => /^[^\s/@]+$/.test(pattern),
  withAllowed({
    zh: "主机名或其模式，不带 https:// 和路径",
    en: "a host or a pattern of hosts, without https:// and path",
  }),
);

export const webSchema = z
  .strictObject({
    hosts: z.array(hostPattern).default([]).meta({
      description:
        "Hosts that http_request may call: api.example.com, *.example.com, *; with none it is not available.",
    }),
    reach: z.array(reachable).default([]).meta({
      description:
        "Private hosts and other ports that tools may reach as well: localhost:8080, 10.0.0.0/8, db.example.com:5432.",
    }),
    ports: z
      .array(z.int().min(1).max(65_535))
      .default([80, 443, 8080, 8443])
      .meta({ description: "Ports of public hosts." }),
  })
  .meta({ description: "What the tools that go out may reach: read_page, http_request, health_check." });
