import { useLayoutEffect, useRef } from "preact/hooks";
import type { Part } from "../../../dom.ts";

export interface PartViewProps<T> {
  create(): Part<T>;
  readonly value: T;
}

/**
 * Puts a part that the page shares with the page of a run into the tree. Such parts write only what is new, which an answer of
 * many thousand words needs, and work without a library.
 */
export function PartView<T>({ create, value }: PartViewProps<T>) {
  const place = useRef<HTMLDivElement>(null);
  const part = useRef<Part<T> | undefined>(undefined);
  useLayoutEffect(() => {
    if (part.current === undefined) {
      part.current = create();
      place.current?.append(part.current.element);
    }
    part.current.show(value);
  }, [value]);
  return <div class="part" ref={place} />;
}
