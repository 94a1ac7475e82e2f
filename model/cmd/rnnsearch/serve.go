package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/translation"
	"github.com/softsearch-go/softsearch/model/cmd/server"
)

type serveOptions struct {
	models    []string                          // see parseModel
	keys      string                            // file of API keys, or empty
	tls       struct{ certificate, key string } // files, or empty
	log       string
	probe     bool
	http      server.Endpoint
	server    server.Options
	maxBody   int
	maxMemory int
}

// defaultTimeout is the default of --grace and of other times.
const defaultTimeout = 30 * time.Second

var logFormats = choice{"log", []string{"text", "json"}}

func newServe() *cobra.Command {
	var o serveOptions
	var checkSearch func(maxBeam int) error
	c := &cobra.Command{
		Use: "serve",
		PreRunE: func(c *cobra.Command, _ []string) error {
			return setFromEnvironment(c.Flags())
		},
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkSearch(o.server.MaxBeam); err != nil {
				return err
			}
			return o.run(c)
		},
	}
	f := c.Flags()
	f.StringArrayVar(&o.models, "model", builtInModels, "`file` of a model, [NAME=]FILE[+FILE...], or the name of one that is built in; repeat for several")
	addListen(f, &o.http.Address)
	f.StringVar(&o.log, "log", "text", "`format` of the log on standard error: text or json")
	f.BoolVar(&o.probe, "check", false, "only ask the server that listens at --listen whether it is ready: exit code 0 or 1, for health checks")
	addThreads(c, &o.server.Decoding.Threads)
	flagGroup(f, "Search", func(f *pflag.FlagSet) { checkSearch = o.addSearch(f) })
	flagGroup(f, "Limits", o.addLimits)
	flagGroup(f, "Access", o.addAccess)
	c.MarkFlagsRequiredTogether("tls-certificate", "tls-key")
	completeValues(c, logFormats.flag, logFormats.values...)
	return c
}

func addListen(f *pflag.FlagSet, address *string) {
	f.StringVar(address, "listen", "127.0.0.1:8080", "`address` to listen at; :8080 is port 8080 of all networks")
}

func (o *serveOptions) addSearch(f *pflag.FlagSet) (check func(maxBeam int) error) {
	addUnknownWords(f, &o.server.Decoding, false)
	return addSearch(f, &o.server.Decoding, "beam size of requests that do not say")
}

func (o *serveOptions) addLimits(f *pflag.FlagSet) {
	s := &o.server
	f.IntVar(&s.MaxRequests, "max-requests", 256, "`number` of requests that wait for translations; others get status 429")
	f.IntVar(&o.maxMemory, "max-memory", 1<<30, "`number` of bytes of requests and answers in progress, at least 128 times --max-body")
	f.IntVar(&o.http.Connections, "max-connections", 1024, "`number` of connections; a further one takes the place of one that has no request or key")
	f.IntVar(&s.MaxTexts, "max-texts", 256, "`number` of texts of a request")
	f.IntVar(&s.MaxCharacters, "max-characters", 10_000, "`number` of characters of all texts of a request, times the translations of each")
	f.IntVar(&s.MaxWords, "max-words", 250, "`number` of words, or segments of words, of a sentence")
	f.IntVar(&s.MaxBeam, "max-beam", 20, "largest beam, n-best list and `number` of alternatives")
	f.IntVar(&o.maxBody, "max-body", 1<<20, "`number` of bytes of a request")
	f.DurationVar(&s.ReadTimeout, "read-timeout", defaultTimeout, "`time` that a client has to send the header of a request, and again for the rest")
	f.DurationVar(&s.WriteTimeout, "write-timeout", defaultTimeout, "`time` that a client has to read a part of an answer")
	f.DurationVar(&o.http.Grace, "grace", defaultTimeout, "`time` for the requests in progress when the server ends")
}

func (o *serveOptions) addAccess(f *pflag.FlagSet) {
	f.StringVar(&o.keys, "keys", "", "`file` of API keys of at least 16 characters, one a line, after NAME: or not; requests for translations need one of them, and the log has its name")
	f.StringArrayVar(&o.server.Origins, "origin", nil, "`origin` of web pages elsewhere that may use /v1, as https://example.org; * is any; repeat for several")
	f.StringArrayVar(&o.server.Hosts, "host", nil, "`name` in the Host header of requests, as example.org, beside localhost; needed at a loopback address; repeat for several")
	f.StringVar(&o.tls.certificate, "tls-certificate", "", "`file` of the certificates for HTTPS, in PEM")
	f.StringVar(&o.tls.key, "tls-key", "", "`file` of the private key for HTTPS, in PEM")
}

// setFromEnvironment sets the flags that the command line does not set and environment variables do. An
// empty value is an error in either place: a script has it for a variable that is not set.
func setFromEnvironment(flags *pflag.FlagSet) (err error) {
	flags.VisitAll(func(f *pflag.Flag) {
		name := "RNNSEARCH_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, ok := os.LookupEnv(name)
		switch {
		case err != nil:
			return
		case f.Changed:
			if isEmpty(f.Value) {
				err = usageError{fmt.Sprintf("--%s is empty, expected a value", f.Name)}
			}
			return
		case !ok:
			return
		case strings.TrimSpace(value) == "":
			err = usageError{name + " is set but empty, expected a value"}
			return
		}
		values := []string{value}
		if _, many := f.Value.(pflag.SliceValue); many {
			values = strings.Fields(value)
		}
		for _, value := range values {
			if flags.Set(f.Name, value) != nil {
				err = usageError{fmt.Sprintf("%s=%s: expected %s", name, value, jsonTypes[f.Value.Type()])}
			}
		}
	})
	return err
}

func isEmpty(v pflag.Value) bool {
	if list, many := v.(pflag.SliceValue); many {
		return slices.Contains(list.GetSlice(), "")
	}
	return v.String() == ""
}

// run serves until a signal ends the context of c.
func (o serveOptions) run(c *cobra.Command) error {
	if err := o.check(c.Flags()); err != nil {
		return err
	}
	s := o.server
	s.Version, _ = build()
	s.Logger, s.MaxBody, s.MaxMemory = newLog(c, o.log), int64(o.maxBody), int64(o.maxMemory)
	for _, value := range o.models {
		m, _ := parseModel(value)
		s.Models = append(s.Models, m)
	}
	if o.keys != "" {
		s.Keys = func() ([]server.Key, error) { return readKeys(o.keys) }
	}
	o.http.ReadHeader = s.ReadTimeout
	if o.tls.certificate != "" {
		pair, err := readTLS(o.tls.certificate, o.tls.key)
		if err != nil {
			return fmt.Errorf("--tls-certificate %s, --tls-key %s: %w", o.tls.certificate, o.tls.key, err)
		}
		o.http.Certificate = &pair
	}
	if o.probe {
		return endpointError(o.http, o.http.Check(c.Context()))
	}
	return endpointError(o.http, o.http.ListenAndServe(c.Context(), s))
}

// endpointError adds the flag that an error of e is about.
func endpointError(e server.Endpoint, err error) error {
	if address, ok := errors.AsType[*net.AddrError](err); ok {
		meant := net.JoinHostPort(strings.Trim(address.Addr, "[]"), "8080")
		if _, err := strconv.ParseUint(address.Addr, 10, 16); err == nil {
			meant = ":" + address.Addr
		}
		return fmt.Errorf("--listen %s: %s, expected an address such as %s", address.Addr, address.Err, meant)
	}
	if failed, ok := errors.AsType[*net.OpError](err); ok && failed.Op == "listen" {
		return fmt.Errorf("--listen %s: %w", e.Address, failed.Err)
	}
	if errors.Is(err, server.ErrUnanswered) {
		return fmt.Errorf("--grace %s: %w", e.Grace, err)
	}
	return err
}

func newLog(c *cobra.Command, format string) *slog.Logger {
	if format == "json" {
		return slog.New(slog.NewJSONHandler(c.ErrOrStderr(), nil))
	}
	return slog.New(slog.NewTextHandler(c.ErrOrStderr(), nil))
}

func (o serveOptions) check(flags *pflag.FlagSet) error {
	const most = 1 << 30
	s := o.server
	err := checkNumbers(
		number{"max-requests", s.MaxRequests, 1, most},
		number{"max-connections", o.http.Connections, 1, most},
		number{"max-texts", s.MaxTexts, 1, most},
		number{"max-characters", s.MaxCharacters, 1, most},
		number{"max-words", s.MaxWords, 1, translation.MaxSentence},
		number{"max-beam", s.MaxBeam, 1, maxBeam},
		number{"max-body", o.maxBody, 1, most},
		number{"max-memory", o.maxMemory, 1, math.MaxInt},
	)
	if err != nil {
		return err
	}
	for _, d := range []struct {
		flag  string
		value time.Duration
	}{{"read-timeout", s.ReadTimeout}, {"write-timeout", s.WriteTimeout}, {"grace", o.http.Grace}} {
		if d.value <= 0 {
			return fmt.Errorf("--%s %s: expected a time above 0, such as 30s", d.flag, d.value)
		}
	}
	return checkChoices(flags, logFormats)
}

var keyName = regexp.MustCompile(`^[\pL\pN._-]{1,100}$`)

// readKeys reads a key, maybe after a name and a colon, from each line that is not empty.
func readKeys(path string) (keys []server.Key, err error) {
	const limit, shortest = 1 << 20, 16
	data, err := files.ReadFile(path, limit)
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(string(data), "\n") {
		name, key, named := strings.Cut(strings.TrimSpace(line), ": ")
		if !named {
			name, key = "", name
		}
		switch key = strings.TrimSpace(key); {
		case key == "":
		case named && !keyName.MatchString(name):
			return nil, files.LineError(path, i+1, errors.New("expected a name of at most 100 letters, digits and ._- before the colon"))
		case len(key) < shortest || strings.Contains(key, "#") || len(strings.Fields(key)) > 1:
			return nil, files.LineError(path, i+1, fmt.Errorf("expected a key of at least %d characters, without white space and #", shortest))
		default:
			keys = append(keys, server.Key{Name: name, Secret: key})
		}
	}
	if keys == nil {
		return nil, fmt.Errorf("%s: no keys, expected one a line", path)
	}
	return keys, nil
}

// readTLS reads the files of a certificate and its key.
func readTLS(certificate, key string) (tls.Certificate, error) {
	const limit = 1 << 20
	chain, err := files.ReadFile(certificate, limit)
	if err != nil {
		return tls.Certificate{}, err
	}
	private, err := files.ReadFile(key, limit)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(chain, private)
}
