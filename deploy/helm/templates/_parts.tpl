{{/* What the templates share. "app" is api, portal, operator, booking or migrate. */}}

{{- define "atrium.labels" -}}
app.kubernetes.io/name: atrium
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .app }}
app.kubernetes.io/version: {{ .root.Values.image.tag | default .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "atrium.selector" -}}
app.kubernetes.io/name: atrium
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .app }}
{{- end }}

{{- define "atrium.name" -}}
{{ printf "%s-%s" .root.Release.Name .app | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "atrium.image" -}}
{{ .root.Values.image.registry }}/{{ .root.Values.image.name }}-{{ .image }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end }}

{{- define "atrium.port" -}}
{{ get (dict "api" 4000 "portal" 4100 "operator" 4200 "booking" 4300) .app }}
{{- end }}

{{- define "atrium.metricsPort" -}}
{{ add (include "atrium.port" .) 500 }}
{{- end }}

{{/* Settings that follow from the chart's own values; "settings" of the values goes over them. */}}
{{- define "atrium.settings" -}}
{{- $hosts := .root.Values.hosts -}}
{{- $settings := dict "TRUSTED_PROXY_HOPS" "1" "METRICS_PORT" (include "atrium.metricsPort" .) -}}
{{- if eq .app "api" -}}
{{- $settings = merge $settings (dict "PORTAL_URL" (printf "https://%s" $hosts.portal) "OPERATOR_URL" (printf "https://%s" $hosts.operator) "BOOKING_URL" (printf "https://%s" $hosts.booking)) -}}
{{- else -}}
{{- $api := include "atrium.name" (dict "root" .root "app" "api") -}}
{{- $settings = merge $settings (dict "API_URL" (printf "http://%s:4000" $api) "PUBLIC_URL" (printf "https://%s" (get $hosts .app))) -}}
{{- end -}}
{{- toYaml (merge (deepCopy (get .root.Values.settings .app)) $settings) -}}
{{- end }}

{{- define "atrium.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "atrium.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}
