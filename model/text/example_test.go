package text_test

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/softsearch-go/softsearch/model/grammar"
	"github.com/softsearch-go/softsearch/model/text"
)

func Example() {
	train, _ := grammar.Pairs(1, 1000, 100)
	source, err := text.NewVocabulary(text.Sources(train), 500)
	if err != nil {
		log.Fatal(err)
	}
	target, err := text.NewVocabulary(text.Targets(train), 500)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Join(train[5].Source, " "))
	fmt.Println(strings.Join(train[5].Target, " "))
	fmt.Println(source.Decode(source.Encode([]string{"the", "purple", "cat"})))
	b := text.NewBatcher(text.Examples(train, source, target), 80, 1)
	fmt.Println(len(b.Next()), "of", len(train), "sentences,", b.BatchesPerEpoch(), "batches")
	// Output:
	// the beautiful horse wants the house and the large french cats sell this strange red church .
	// le beau cheval veut la maison et les grands chats français vendent cette église rouge étrange .
	// [the <unk> cat]
	// 80 of 1000 sentences, 13 batches
}

func ExampleParallelReader() {
	pairs, err := text.ParallelReader{
		Source:     strings.NewReader("the cat sleeps .\n\nthe dog sleeps .\n"),
		Target:     strings.NewReader("le chat dort .\nle cheval dort .\nle chien dort .\n"),
		SourceName: "corpus.en",
		TargetName: "corpus.fr",
		OnDrop:     func(err error) { fmt.Println("dropped:", err) },
	}.Read()
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range pairs {
		fmt.Println(p.Source, p.Target)
	}
	// Output:
	// dropped: corpus.en:2: empty line, expected a sentence
	// [the cat sleeps .] [le chat dort .]
	// [the dog sleeps .] [le chien dort .]
}

func ExampleJoiner() {
	var j text.Joiner
	for _, line := range []string{"The transla-", "tion reads well", "in English.", "And this one?"} {
		if !j.Add(line) {
			fmt.Println(j.Take())
			j.Add(line)
		}
	}
	fmt.Println(j.Take())
	// Output:
	// The translation reads well in English.
	// And this one?
}

func ExampleReadVocabulary() {
	v, err := text.ReadVocabulary(strings.NewReader("the 1203\ncat 17\n"))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := v.WriteTo(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// </s>
	// <unk>
	// the
	// cat
}
