import { AppError } from '@atrium/core/platform/errors'
import type { AppContext } from './request.ts'

/** The API takes no larger body (docs/reference/contract.md, conventions). */
const bodyLimit = 1024 * 1024

/**
 * The body of a request as it came, undefined when it is empty; kept whole, because the call may
 * have to be made twice. Throws AppError `too_large`, or `unsupported_media_type` for anything but
 * JSON.
 */
export async function readJsonBody(c: AppContext): Promise<Uint8Array | undefined> {
  if (Number(c.req.header('content-length') ?? 0) > bodyLimit) throw new AppError('too_large')
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of c.req.raw.body ?? []) {
    size += chunk.byteLength
    if (size > bodyLimit) throw new AppError('too_large')
    chunks.push(chunk)
  }
  if (size === 0) return undefined
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw new AppError('unsupported_media_type')
  return Buffer.concat(chunks)
}

/** A body as the JSON object that it is; an empty one counts as `{}`. Throws AppError. */
export function parseObject(body: Uint8Array | undefined): Record<string, unknown> {
  if (!body) return {}
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (cause) {
    throw new AppError('malformed_json', undefined, { cause })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw new AppError('invalid_input', undefined, {
    issues: [{ path: '', message: 'The body must be a JSON object.' }],
  })
}
