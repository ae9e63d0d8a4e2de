import { fileQuotaBytes, plans } from '@atrium/core/billing/plans'
import { type Plan, plan as planSchema } from '@atrium/core/tenants/tenants'
import { formatBytes } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { planName } from '@atrium/ui/subscription-status-meta'
import { Group, Radio, SimpleGrid, Text } from '@mantine/core'

const t = translations('operator.tenants')

interface Props {
  value: Plan
  onChange: (plan: Plan) => void
}

/** The plans as cards of which one is chosen. */
export function PlanChoice({ value, onChange }: Props) {
  return (
    <Radio.Group
      aria-label={t('fields.plan')}
      value={value}
      onChange={(next) => onChange(planSchema.parse(next))}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
        {plans.map((plan) => (
          <Radio.Card
            key={plan}
            value={plan}
            p="sm"
            aria-label={t('plan.option', {
              plan: planName(plan),
              size: formatBytes(fileQuotaBytes[plan]),
            })}
          >
            <Group gap="sm" wrap="nowrap">
              <Radio.Indicator />
              <div>
                <Text size="sm" fw={550}>
                  {planName(plan)}
                </Text>
                <Text size="xs" c="dimmed">
                  {t('plan.files', { size: formatBytes(fileQuotaBytes[plan]) })}
                </Text>
              </div>
            </Group>
          </Radio.Card>
        ))}
      </SimpleGrid>
    </Radio.Group>
  )
}
