import { checkVatNumber } from '@atrium/core/billing/vat-numbers'
import { Hono } from 'hono'
import { z } from 'zod'
import { honoListener, type SandboxSystem, type SystemContext } from '../system.ts'

/** What the register says of a number, or the word of VIES for why it says nothing. */
export type ViesRecord =
  | { readonly valid: boolean; readonly name?: string; readonly address?: string }
  | { readonly error: string }

export interface ViesSystem extends SandboxSystem {
  readonly name: 'vies'
  /** What is answered from now on about a number with its prefix. */
  put(vatNumber: string, record: ViesRecord): void
}

const Records = z.record(
  z.string(),
  z.union([
    z.object({
      valid: z.boolean(),
      name: z.string().optional(),
      address: z.string().optional(),
    }),
    z.object({ error: z.string() }),
  ]),
)

const Question = z.object({
  countryCode: z.string().regex(/^[A-Z]{2}$/),
  vatNumber: z.string().min(1),
  requesterMemberStateCode: z.string().optional(),
  requesterNumber: z.string().optional(),
})

/**
 * The stand-in for VIES. Without a record, a number with the right form and checksum is valid, and
 * its company has no name.
 */
export function createVies(context: SystemContext): ViesSystem {
  const records = new Map<string, ViesRecord>()
  let consultations = 0
  const app = new Hono()
  app.post('/check-vat-number', async (c) => {
    const question = Question.safeParse(await c.req.json().catch(() => undefined))
    if (!question.success) return c.json(failure('INVALID_INPUT'), 400)
    const { countryCode, vatNumber, requesterNumber, requesterMemberStateCode } = question.data
    const record = records.get(`${countryCode}${vatNumber}`) ?? unrecorded(countryCode, vatNumber)
    // The real one answers so with status 200.
    if ('error' in record) return c.json(failure(record.error))
    const requested = requesterNumber !== undefined && requesterMemberStateCode !== undefined
    if (requested) consultations += 1
    return c.json({
      countryCode,
      vatNumber,
      requestDate: new Date(context.now()).toISOString(),
      valid: record.valid,
      requestIdentifier: requested ? `WAPIAAAA${String(consultations).padStart(8, '0')}` : '',
      name: record.name ?? '---',
      address: record.address ?? '---',
      traderName: '---',
      traderStreet: '---',
      traderPostalCode: '---',
      traderCity: '---',
      traderCompanyType: '---',
      traderNameMatch: 'NOT_PROCESSED',
      traderStreetMatch: 'NOT_PROCESSED',
      traderPostalCodeMatch: 'NOT_PROCESSED',
      traderCityMatch: 'NOT_PROCESSED',
      traderCompanyTypeMatch: 'NOT_PROCESSED',
    })
  })
  const clear = () => {
    records.clear()
    consultations = 0
  }
  return {
    name: 'vies',
    listener: honoListener(app),
    state: () => ({ records: Object.fromEntries(records) }),
    save: () => Object.fromEntries(records),
    load(saved) {
      clear()
      for (const [number, record] of Object.entries(Records.parse(saved)))
        put(number, record as ViesRecord)
    },
    reset: clear,
    errorResponse: () => ({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(failure('SERVICE_UNAVAILABLE')),
    }),
    put,
  }

  function put(vatNumber: string, record: ViesRecord): void {
    records.set(vatNumber, record)
    context.changed()
  }
}

function unrecorded(countryCode: string, vatNumber: string): ViesRecord {
  const { status } = checkVatNumber(`${countryCode}${vatNumber}`, null)
  return status === 'format_invalid'
    ? { error: 'INVALID_INPUT' }
    : { valid: status === 'unverified' }
}

function failure(error: string) {
  return { actionSucceed: false, errorWrappers: [{ error }] }
}
