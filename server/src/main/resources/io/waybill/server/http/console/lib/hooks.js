import { useState, useEffect, useRef, useCallback } from './dom.js';
import { clock } from './live.js';

/** Returns the value of a cell and renders again when it changes. */
export function useCell(cell) {
  const [, changed] = useState(0);
  useEffect(() => cell.subscribe(() => changed(n => n + 1)), [cell]);
  return cell.get();
}

/**
 * Loads data for a component.
 * @param load receives an AbortSignal and returns a promise
 * @param keys loads again when one of them changes
 * @param seconds loads again after so many seconds while the tab is visible and updates are not paused; 0 for never
 */
export function useLoad(load, keys, seconds = 0) {
  const [state, setState] = useState({ data: null, error: null, loading: true });
  const running = useRef(null);
  const latest = useRef(load);
  latest.current = load;
  const reload = useCallback(async (quiet = false) => {
    running.current?.abort();
    const abort = running.current = new AbortController();
    if (!quiet) setState(old => ({ ...old, loading: true }));
    try {
      const data = await latest.current(abort.signal);
      if (!abort.signal.aborted) setState({ data, error: null, loading: false });
    } catch (error) {
      if (!abort.signal.aborted) setState(old => ({ data: old.data, error, loading: false }));
    }
  }, []);
  useEffect(() => {
    setState({ data: null, error: null, loading: true });
    reload();
    const stop = seconds ? clock.every(seconds, () => reload(true)) : () => {};
    return () => {
      stop();
      running.current?.abort();
    };
  }, keys);
  return { ...state, reload: () => reload(true) };
}

/** Loads the pages of a list. The first page is refreshed until the user asks for the second one. */
export function usePages(load, keys, seconds = 0) {
  const first = useLoad(signal => load(undefined, signal), keys, 0);
  const [more, setMore] = useState({ items: [], next: undefined, loading: false, error: null });
  const pages = useRef(1);
  useEffect(() => {
    pages.current = 1;
    setMore({ items: [], next: undefined, loading: false, error: null });
    return seconds ? clock.every(seconds, () => pages.current === 1 && first.reload()) : undefined;
  }, keys);
  const next = more.next === undefined ? first.data?.next : more.next;
  return {
    ...first,
    items: [...(first.data?.items ?? []), ...more.items],
    next,
    loadingMore: more.loading,
    moreError: more.error,
    async loadMore() {
      pages.current++;
      setMore(old => ({ ...old, loading: true, error: null }));
      try {
        const page = await load(next);
        setMore(old => ({ items: [...old.items, ...page.items], next: page.next ?? null, loading: false, error: null }));
      } catch (error) {
        setMore(old => ({ ...old, loading: false, error }));
      }
    },
    reload() {
      pages.current = 1;
      setMore({ items: [], next: undefined, loading: false, error: null });
      return first.reload();
    },
  };
}
