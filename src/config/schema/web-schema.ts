import * as z from "zod";
import { isReachable, reachableForms } from "./reachable.ts";
import { withAllowed } from "./schema-parts.ts";

const reachable = z.string().refine(isReachable, withAllowed(reachableForms));

const hostPattern = z
  .string()
  .refine(
    (pattern) => /^[^\s/@]+$/.test(pattern),
    withAllowed({
      zh: "主机名或其模式，不带 https:// 和路径",
      en: "a host or a pattern of hosts, without https:// and path",
    }),
  );

/** What `web` of the file may say. */
export const webSchema = z
  .strictObject({
    hosts: z.array(hostPattern).default([]).meta({
      description: "Hosts that http_request may call: api.example.com, *.example.com, *; with none it is not on offer.",
    }),
    reach: z.array(reachable).default([]).meta({
      description:
        "Private hosts and other ports that tools may reach all the same: localhost:8080, 10.0.0.0/8, db.example.com:5432.",
    }),
    ports: z
      .array(z.int().min(1).max(65_535))
      .default([80, 443, 8080, 8443])
      .meta({ description: "Ports of public hosts." }),
  })
  .meta({ description: "What the tools that go out may reach: read_page, http_request, health_check." });
