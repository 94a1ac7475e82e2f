package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/softsearch-go/softsearch/model/decode"
)

type metrics struct {
	registry                  *prometheus.Registry
	requests                  *prometheus.CounterVec
	duration                  *prometheus.HistogramVec
	sentences, words, reloads *prometheus.CounterVec
	keyed                     *prometheus.CounterVec // requests
}

// newMetrics takes a function that counts the requests in progress.
func newMetrics(version string, inProgress func() float64) *metrics {
	const namespace = "rnnsearch"
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	}
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: counter("http_requests_total", "Requests by path and status.", "path", "code"),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "http_request_duration_seconds", Help: "Time from the header of a request to the end of the answer.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 16), // to 33 seconds
		}, []string{"path"}),
		sentences: counter("sentences_total", "Sentences translated.", "model"),
		words:     counter("words_total", "Words, or segments of them, of sentences and of their best translations.", "model", "side"),
		keyed:     counter("key_requests_total", "Requests by name of the API key and status.", "key", "code"),
		reloads:   counter("reloads_total", "Attempts to reload a model, by result.", "model", "result"),
	}
	m.registry.MustRegister(m.requests, m.duration, m.sentences, m.words, m.reloads, m.keyed,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: namespace, Name: "build_info", Help: "1, with the version of the server.", ConstLabels: prometheus.Labels{"version": version},
		}, func() float64 { return 1 }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: namespace, Name: "requests_in_progress", Help: "Requests that wait for translations.",
		}, inProgress),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{DisableCompression: true})
}

func (m *metrics) answered(path string, code int, d time.Duration) {
	m.requests.WithLabelValues(path, strconv.Itoa(code)).Inc()
	m.duration.WithLabelValues(path).Observe(d.Seconds())
}

func (m *metrics) translated(model string, s sentence, best decode.Translation) {
	m.sentences.WithLabelValues(model).Inc()
	m.words.WithLabelValues(model, "source").Add(float64(len(s.Words)))
	m.words.WithLabelValues(model, "target").Add(float64(len(s.Model.Target.Decode(best.IDs))))
}

func (m *metrics) reloaded(name string, err error) {
	result := "ok"
	if err != nil {
		result = "error"
	}
	m.reloads.WithLabelValues(name, result).Inc()
}
