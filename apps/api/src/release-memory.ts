/**
 * Gives back what a start has used and needs no more, about 15 MiB: V8 keeps the room in which the service was put together until a full
 * collection, which a quiet service never comes to by itself. Takes about 50 ms, during which nothing else runs.
 */
export async function releaseMemory(): Promise<void> {
  const { Session } = process.getBuiltinModule('node:inspector/promises')
  const session = new Session()
  session.connect()
  try {
    // Unlike `gc()`, it shrinks the young generation again (`HeapProfiler.collectGarbage` of the Chrome DevTools Protocol).
    await session.post('HeapProfiler.collectGarbage')
  } finally {
    session.disconnect()
  }
}
