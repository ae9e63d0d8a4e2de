import type { OperatorInvoiceDetail } from '@atrium/core/billing/operator-invoices'
import { translations } from '@atrium/ui/messages'
import { Button, Modal } from '@mantine/core'
import {
  IconBan,
  IconBuildingBank,
  IconFileMinus,
  IconFileOff,
  IconReceiptRefund,
} from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { type CorrectionAct, CorrectionForm } from './correct-dialog.tsx'

const t = translations('operator.invoices')

/** Buttons for the corrections that the invoice allows. */
export function InvoiceActions({ invoice }: { invoice: OperatorInvoiceDetail }) {
  const [act, setAct] = useState<CorrectionAct>()
  const { allowedCorrections: allowed } = invoice
  const back = allowed.destinations.some(({ maxMinor }) => maxMinor > 0)
  const button = (kind: CorrectionAct, label: string, icon: ReactNode, primary = false) => (
    <Button
      key={kind}
      leftSection={icon}
      onClick={() => setAct(kind)}
      {...(primary ? {} : { variant: 'default' })}
    >
      {label}
    </Button>
  )
  return (
    <>
      {back &&
        button(
          'credit',
          t('correct.credit.actionPaid'),
          <IconReceiptRefund size={17} aria-hidden />,
        )}
      {allowed.transferMinor > 0 &&
        button(
          'transfer',
          t('correct.transfer.action'),
          <IconBuildingBank size={17} aria-hidden />,
          true,
        )}
      {allowed.dueReductionMinor > 0 &&
        button('credit', t('correct.credit.action'), <IconFileMinus size={17} aria-hidden />)}
      {allowed.writeOff &&
        button('write_off', t('correct.write_off.action'), <IconFileOff size={17} aria-hidden />)}
      {allowed.void && button('void', t('correct.void.action'), <IconBan size={17} aria-hidden />)}
      <Modal
        opened={act !== undefined}
        onClose={() => setAct(undefined)}
        title={
          act &&
          t(act === 'credit' && back ? 'correct.credit.titlePaid' : `correct.${act}.title`, {
            number: invoice.number ?? t('noNumber'),
          })
        }
        size="md"
      >
        {act && <CorrectionForm invoice={invoice} act={act} onClose={() => setAct(undefined)} />}
      </Modal>
    </>
  )
}
