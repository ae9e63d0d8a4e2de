import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Stack } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { createLazyRoute } from '@tanstack/react-router'
import { AuditPreview } from '../audit/audit-preview.tsx'
import { AttentionPanel } from './attention-panel.tsx'
import { Figures } from './figures.tsx'
import { RevenueFigures } from './revenue-figures.tsx'
import { TroublePanel } from './trouble-panel.tsx'

const t = translations('operator.dashboard')

export const Route = createLazyRoute('/authenticated/')({ component: DashboardPage })

function DashboardPage() {
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={
          <LinkButton to="/tenants/new" leftSection={<IconPlus size={18} aria-hidden />}>
            {t('newTenant')}
          </LinkButton>
        }
      />
      <Stack gap="lg">
        <Figures />
        <RevenueFigures />
        <AttentionPanel />
        <TroublePanel />
        <AuditPreview title={t('audit')} filters={{}} />
      </Stack>
    </>
  )
}
