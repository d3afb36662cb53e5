import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { operatorTexts } from "../../state/operator-texts.ts";
import { usePage, useSay } from "../page-model.ts";

interface LoadedProps<T> {
  load(): Promise<T>;
  children(read: T): ComponentChildren;
}

/** Shows what has been read as soon as it is there, or why it is not. */
export function Loaded<T>({ load, children }: LoadedProps<T>) {
  const { describeError } = usePage();
  const say = useSay();
  const [read, setRead] = useState<{ readonly value: T } | { readonly problem: string } | undefined>(undefined);
  useEffect(() => {
    load().then(
      (value) => setRead({ value }),
      (thrown: unknown) => setRead({ problem: describeError(thrown) }),
    );
  }, []);
  if (read === undefined) return <p class="hint">{say(operatorTexts.loading)}</p>;
  if ("problem" in read)
    return (
      <p class="problem" role="alert">
        {read.problem}
      </p>
    );
  return <>{children(read.value)}</>;
}
