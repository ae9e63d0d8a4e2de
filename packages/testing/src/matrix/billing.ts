import { randomUUID } from 'node:crypto'
import {
  adminsOrOperators,
  type Expected,
  membersOrOperators,
  operatorsOnly,
  type Rows,
  slug,
  type World,
} from './rows.ts'

/**
 * Who may, learns this: the call is about something that is not there, which only they are told.
 */
function told(expected: Expected, outcome: string): Expected {
  return Object.fromEntries(
    Object.entries(expected).map(([caller, code]) => [caller, code === 'ok' ? outcome : code]),
  ) as Expected
}

const unknownInvoice = (world: World) => ({ ...slug(world), invoiceId: randomUUID() })

export const billingRows: Rows = {
  'billing.get': [{ input: slug, expected: membersOrOperators }],
  'billing.nextInvoice': [{ input: slug, expected: membersOrOperators }],
  'billing.createSetupIntent': [{ input: slug, expected: adminsOrOperators }],
  'billing.setPaymentMethod': [
    {
      input: (world) => ({ ...slug(world), paymentMethodId: 'pm_of_somebody_else' }),
      expected: told(adminsOrOperators, 'invalid_input'),
    },
  ],
  'billing.removePaymentMethod': [{ input: slug, expected: told(adminsOrOperators, 'not_found') }],
  // This workplace has no portal that those pages could lead back to, which only those are told who
  // may have them.
  'billing.portal': [{ input: slug, expected: adminsOrOperators }],
  'billing.invoices': [{ input: slug, expected: membersOrOperators }],
  'billing.invoiceDocument': [
    { input: unknownInvoice, expected: told(membersOrOperators, 'not_found') },
  ],
  'billing.payInvoice': [{ input: unknownInvoice, expected: told(adminsOrOperators, 'not_found') }],
  'billing.overview': [{ input: () => ({}), expected: operatorsOnly }],
}
