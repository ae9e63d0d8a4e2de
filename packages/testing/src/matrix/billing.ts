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

/** The call names something that does not exist; only permitted actors get this response. */
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
  // This workplace has no portal for those pages to return to; only permitted actors get this
  // response.
  'billing.portal': [{ input: slug, expected: adminsOrOperators }],
  'billing.invoices': [{ input: slug, expected: membersOrOperators }],
  'billing.invoiceDocument': [
    { input: unknownInvoice, expected: told(membersOrOperators, 'not_found') },
  ],
  'documents.list': [{ input: unknownInvoice, expected: told(membersOrOperators, 'not_found') }],
  'documents.download': [
    {
      input: (world) => ({ ...slug(world), documentId: randomUUID() }),
      expected: told(membersOrOperators, 'not_found'),
    },
  ],
  'documents.overview': [{ input: () => ({}), expected: operatorsOnly }],
  'documents.tenantAddress': [{ input: slug, expected: membersOrOperators }],
  'documents.setTenantAddress': [
    {
      input: (world) => ({ ...slug(world), line1: 'Main Street 1', city: 'Berlin' }),
      expected: adminsOrOperators,
    },
  ],
  'billing.payInvoice': [{ input: unknownInvoice, expected: told(adminsOrOperators, 'not_found') }],
  'billing.overview': [{ input: () => ({}), expected: operatorsOnly }],
}
