import { z } from 'zod'
import type { Operation } from '../call-policy.ts'
import { type HttpClientOptions, httpClient } from '../http-client.ts'
import type { UpstreamErrorKind } from '../upstream-error.ts'
import type { VatCheckResult, VatRegistry } from './port.ts'

export interface ViesOptions extends HttpClientOptions {
  /** The VAT number in whose name is asked; null for none. */
  requester: string | null
}

/**
 * VIES gives failures with status 200 too: one that succeeds has `valid`, any other says why in
 * `errorWrappers`.
 */
const Response = z.union([
  z.object({
    valid: z.boolean(),
    requestDate: z.string(),
    requestIdentifier: z.string().nullish(),
    name: z.string().nullish(),
    address: z.string().nullish(),
  }),
  z.object({ errorWrappers: z.array(z.object({ error: z.string() })).min(1) }),
])

/** By VIES's own words; every other word is a failure that passes. */
const kinds: Readonly<Record<string, UpstreamErrorKind>> = {
  INVALID_INPUT: 'refused',
  INVALID_REQUESTER_INFO: 'unauthorized',
  VAT_BLOCKED: 'unauthorized',
  IP_BLOCKED: 'unauthorized',
  GLOBAL_MAX_CONCURRENT_REQ: 'rate_limited',
  GLOBAL_MAX_CONCURRENT_REQ_TIME: 'rate_limited',
  MS_MAX_CONCURRENT_REQ: 'rate_limited',
  MS_MAX_CONCURRENT_REQ_TIME: 'rate_limited',
  TIMEOUT: 'timeout',
}

const notes: Readonly<Record<string, string>> = {
  MS_UNAVAILABLE: 'the country of the number does not answer at the moment',
  INVALID_INPUT: 'the number does not have the form of its country',
  INVALID_REQUESTER_INFO: 'it does not know the VAT number of this installation',
  IP_BLOCKED: 'it blocks the address of this service',
  VAT_BLOCKED: 'it blocks the VAT number of this installation',
}

/**
 * The REST API of the European Commission's VAT Information Exchange System
 * (ec.europa.eu/taxation_customs/vies). Free of charge and without a key; it allows few questions
 * at once.
 */
export function vies({ requester, ...options }: ViesOptions): VatRegistry {
  const client = httpClient('vies', null, {
    deadlineMs: 10_000,
    operationDeadlineMs: 25_000,
    concurrency: 2,
    maxResponseBytes: 100_000,
    ...options,
  })
  return {
    checkNumber: (vatNumber, callOptions) =>
      client.operation('checkNumber', callOptions, (operation) =>
        client.send(operation, {
          label: 'POST /check-vat-number',
          method: 'POST',
          path: 'check-vat-number',
          body: { ...numberParts(vatNumber), ...(requester !== null && requesterParts(requester)) },
          repeatable: true,
          accept: [200, 400],
          read: ({ json }) => resultOf(operation, Response.parse(json)),
        }),
      ),
  }
}

function numberParts(vatNumber: string) {
  return { countryCode: vatNumber.slice(0, 2), vatNumber: vatNumber.slice(2) }
}

function requesterParts(requester: string) {
  return {
    requesterMemberStateCode: requester.slice(0, 2),
    requesterNumber: requester.slice(2),
  }
}

function resultOf(operation: Operation, response: z.output<typeof Response>): VatCheckResult {
  if ('errorWrappers' in response) {
    const word = response.errorWrappers[0]?.error ?? ''
    throw operation.fail(kinds[word] ?? 'server', { note: notes[word] })
  }
  const answeredAt = new Date(response.requestDate)
  if (Number.isNaN(answeredAt.getTime()))
    throw operation.fail('invalid_answer', { note: 'its date cannot be read' })
  return {
    valid: response.valid,
    name: textOrNull(response.name),
    address: textOrNull(response.address),
    consultationNumber: textOrNull(response.requestIdentifier),
    answeredAt,
  }
}

/** Countries that keep a name back answer with dashes. */
function textOrNull(text: string | null | undefined): string | null {
  const plain = (text ?? '').trim()
  return plain === '' || /^-+$/.test(plain) ? null : plain.slice(0, 1_000)
}
