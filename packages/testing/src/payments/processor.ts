import type {
  Payments,
  ProcessorCreditNote,
  ProcessorInvoice,
  ProcessorReversal,
  ProcessorSubscription,
} from '@atrium/integrations/payments/port'
import { rawInvoice, rawReversal, rawSubscription } from './raw-objects.ts'

export type ProcessorObject =
  | { kind: 'subscription'; value: ProcessorSubscription }
  | { kind: 'invoice'; value: ProcessorInvoice }
  | { kind: 'reversal'; value: ProcessorReversal }

/** An event as the processor would send it, and the object as it was then. */
export interface SentEvent {
  id: string
  type: string
  objectId: string
  created: Date
  payload: Record<string, unknown>
}

/** What happens at the processor at one moment: objects become so, and these events tell of it. */
export interface Happening {
  object: ProcessorObject
  types: readonly string[]
  at: Date
}

/**
 * The processor's records in memory, for tests that ask for the same reading thousands of times.
 * Only reading is possible.
 */
export interface Processor {
  payments: Payments
  /** Lets it happen; returns the events. */
  happen(happening: Happening): SentEvent[]
}

const unused = () => Promise.reject(new Error('nothing but reading is possible here'))

export function createProcessor(): Processor {
  const objects = new Map<string, ProcessorObject>()
  const read = async <Kind extends ProcessorObject['kind']>(id: string, kind: Kind) => {
    const found = objects.get(id)
    return found?.kind === kind
      ? (found.value as Extract<ProcessorObject, { kind: Kind }>['value'])
      : undefined
  }
  let events = 0
  const name = Math.random().toString(36).slice(2)
  return {
    happen({ object, types, at }) {
      objects.set(object.value.id, object)
      return types.map((type) => {
        events += 1
        const id = `evt_${name}_${events}`
        const raw =
          object.kind === 'subscription'
            ? rawSubscription(object.value)
            : object.kind === 'invoice'
              ? rawInvoice(object.value)
              : rawReversal(object.value)
        const payload = {
          id,
          object: 'event',
          type,
          created: at.getTime() / 1000,
          livemode: false,
          api_version: null,
          data: { object: raw },
        }
        return { id, type, objectId: object.value.id, created: at, payload }
      })
    },
    payments: {
      check: unused,
      createCustomer: unused,
      updateCustomer: unused,
      findCustomer: unused,
      addTaxId: unused,
      findTaxId: unused,
      removeTaxId: unused,
      createSetupIntent: unused,
      findSetupIntent: unused,
      findPaymentMethod: unused,
      setDefaultPaymentMethod: unused,
      detachPaymentMethod: unused,
      createPortalSession: unused,
      createPrice: unused,
      archivePrice: unused,
      ensureTaxRate: unused,
      createSubscription: unused,
      previewSubscription: unused,
      setSubscriptionTax: unused,
      findSubscription: (id) => read(id, 'subscription'),
      listSubscriptions: unused,
      previewChange: unused,
      changeSubscription: unused,
      setSubscriptionItem: unused,
      previewNextInvoice: unused,
      scheduleChange: unused,
      releaseSchedule: unused,
      setCancelAtPeriodEnd: unused,
      cancelNow: unused,
      resumeSubscription: unused,
      findInvoice: (id) => read(id, 'invoice'),
      listInvoices: unused,
      payInvoice: unused,
      voidInvoice: unused,
      payOutOfBand: unused,
      markUncollectible: unused,
      createCreditNote: unused,
      findRefund: (id) => read(id, 'reversal'),
      findCreditNote: async (id) => {
        const reversal = await read(id, 'reversal')
        return reversal && creditNoteOf(reversal)
      },
      listCreditNotes: unused,
      findDispute: (id) => read(id, 'reversal'),
      listEvents: unused,
      listBalanceTransactions: unused,
      listPayouts: unused,
      readBalance: unused,
      findInvoiceOfPayment: unused,
    },
  }
}

/** A credit note whose money is that of the reversal. */
function creditNoteOf(reversal: ProcessorReversal): ProcessorCreditNote {
  return {
    ...reversal,
    kind: 'credit_note',
    invoiceId: reversal.invoiceId ?? '',
    customerId: '',
    number: reversal.id,
    reason: null,
    memo: null,
    subtotal: reversal.amount,
    discount: 0,
    tax: 0,
    taxes: [],
    total: reversal.amount,
    totalExcludingTax: reversal.amountExcludingTax ?? reversal.amount,
    prePaymentAmount: 0,
    postPaymentAmount: reversal.amount,
    outOfBandAmount: reversal.effective ? reversal.amount : 0,
    refundIds: [],
    refundedAmount: 0,
    metadata: {},
    effectiveAt: reversal.created,
    voidedAt: null,
    pdf: null,
    lines: [],
  }
}
