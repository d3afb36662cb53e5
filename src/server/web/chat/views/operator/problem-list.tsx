import type { OperatorProblems } from "../../api/operator.ts";
import { operatorTexts } from "../../state/operator-texts.ts";
import { usePage, useSay } from "../page-model.ts";
import { DataTable } from "./data-table.tsx";

/** Shows the last failures, and the tools with their times. */
export function ProblemList({ errors, tools }: OperatorProblems) {
  const { locale } = usePage();
  const say = useSay();
  return (
    <>
      <h3>{say(operatorTexts.lastErrors)}</h3>
      <DataTable
        label={say(operatorTexts.lastErrors)}
        columns={["time", "code", "message", "caller"]}
        rows={errors.map(({ at, code, message, caller }) => [
          new Date(at).toLocaleString(locale.value === "zh" ? "zh-CN" : "en"),
          code,
          message,
          caller ?? say(operatorTexts.operator),
        ])}
      />
      <h3>{say(operatorTexts.slowTools)}</h3>
      <DataTable
        label={say(operatorTexts.slowTools)}
        columns={["tool", "calls", "failed", "mean", "longest"]}
        rows={tools.map(({ tool, calls, failed, mean_ms, max_ms }) => [
          tool,
          calls,
          failed,
          `${mean_ms} ms`,
          `${max_ms} ms`,
        ])}
      />
    </>
  );
}
