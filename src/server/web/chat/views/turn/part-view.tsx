import { useLayoutEffect, useRef } from "preact/hooks";
import type { Locale } from "../../../../../kit/locale.ts";
import type { Part } from "../../../dom.ts";
import { usePage } from "../page-model.ts";

export interface PartViewProps<T> {
  create(locale: Locale): Part<T>;
  readonly value: T;
}

/**
 * Puts a part that the page shares with the page of a run into the tree. Such parts write only what is new, which an answer of
 * many thousand words needs, and work without a library. They keep the language that they were made in, so another one makes them anew.
 */
export function PartView<T>({ create, value }: PartViewProps<T>) {
  const { locale } = usePage();
  const now = locale.value;
  const place = useRef<HTMLDivElement>(null);
  const made = useRef<{ readonly locale: Locale; readonly part: Part<T> } | undefined>(undefined);
  useLayoutEffect(() => {
    if (made.current?.locale !== now) {
      made.current = { locale: now, part: create(now) };
      place.current?.replaceChildren(made.current.part.element);
    }
    made.current.part.show(value);
  }, [value, now]);
  return <div class="part" ref={place} />;
}
